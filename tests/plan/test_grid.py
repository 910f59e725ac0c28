"""Tests of `sweetspot.plan.grid`: worked examples, and what holds for any study."""

from typing import Any

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweetspot.errors import StudyError
from sweetspot.plan.document import Dropped
from sweetspot.plan.grid import entry, grid, settings
from sweetspot.plan.speculation import Speculation
from tests.plan.conftest import MakeStudy

ENGINE: dict[str, Any] = {"args": {"dtype": "float32", "page-size": 1}, "env": {"A": "1"}}
RING_LL = {"env": {"NCCL_ALGO": "Ring", "NCCL_PROTO": "LL"}, "args": {}}
PLAIN: dict[str, Any] = {"env": {}, "args": {}}


def tree(num_steps: int, eagle_topk: int, num_draft_tokens: int) -> dict[str, int]:
    """Return a tree as a study spells it."""
    return {"num_steps": num_steps, "eagle_topk": eagle_topk, "num_draft_tokens": num_draft_tokens}


def speculation(num_steps: list[int], *trees: dict[str, int]) -> dict[str, Any]:
    """Return the speculation of a study."""
    return {"algorithm": "EAGLE3", "num_steps": num_steps, "trees": list(trees)}


TREES = st.builds(tree, st.integers(1, 4), st.integers(1, 3), st.integers(2, 4))
SPECULATIONS = st.builds(
    lambda num_steps, trees: speculation(num_steps, *trees),
    st.lists(st.integers(1, 8), unique=True, min_size=1),
    st.lists(TREES, max_size=4),
)
NCCL = st.dictionaries(
    st.sampled_from(["default", "ring-ll", "p2p"]), st.sampled_from([PLAIN, RING_LL]), min_size=1
)
ARGS_SETS = st.dictionaries(
    st.sampled_from(["x", "y"]), st.sampled_from([{"a": 1}, {"a": "1"}, {"page-size": 1}, {"b": True}])
)


class TestGrid:
    """Tests of `grid`."""

    def test_worked_example(self, make_study: MakeStudy) -> None:
        """Two chains and a tree under two NCCL variants: baselines, controls, then by steps."""
        study = make_study(
            speculation=speculation([2, 1], tree(1, 3, 4)), nccl={"default": PLAIN, "ring-ll": RING_LL}
        )

        variants, dropped = grid(study, ENGINE)

        assert [variant.id for variant in variants] == [
            *("none.default", "none.ring-ll", "none-again.default", "none-again.ring-ll"),
            *("s1.default", "s1.ring-ll", "s1k3d4.default", "s1k3d4.ring-ll", "s2.default", "s2.ring-ll"),
        ]
        assert dropped == ()

    def test_sets_of_arguments_have_baselines_of_their_own(self, make_study: MakeStudy) -> None:
        """Every variant is run without and with the set, and compared with its like."""
        study = make_study(speculation=speculation([2]), args_sets={"no-overlap": {"x": True}})

        variants, _ = grid(study, ENGINE)

        assert [(variant.id, variant.baseline, variant.control) for variant in variants] == [
            ("none.default", "none.default", False),
            ("none.default.no-overlap", "none.default.no-overlap", False),
            ("none-again.default", "none.default", True),
            ("none-again.default.no-overlap", "none.default.no-overlap", True),
            ("s2.default", "none.default", False),
            ("s2.default.no-overlap", "none.default.no-overlap", False),
        ]

    def test_the_timer_is_controlled_where_it_is_asked_for(self, make_study: MakeStudy) -> None:
        """Baselines and longest chains have a twin without it; what is shorter, or a tree, has none."""
        study = make_study(
            speculation=speculation([1, 3], tree(3, 2, 4), tree(4, 2, 4)),
            nccl={"default": PLAIN, "ring-ll": RING_LL},
            controls=["timer"],
        )

        variants, _ = grid(study, ENGINE)

        assert [(v.id, v.num_steps, v.baseline, v.control) for v in variants if v.untimed] == [
            ("none-untimed.default", 0, "none.default", True),
            ("none-untimed.ring-ll", 0, "none.ring-ll", True),
            ("s3-untimed.default", 3, "s3.default", True),
            ("s3-untimed.ring-ll", 3, "s3.ring-ll", True),
        ]

    def test_what_sglang_runs_alike_is_one_cell(self, make_study: MakeStudy) -> None:
        """(2, 1, 3), (2, 1, 8) and the chain of 2 are one server; a tree listed twice is one, too."""
        study = make_study(
            speculation=speculation([2], tree(2, 1, 3), tree(2, 1, 8), tree(3, 4, 8), *[tree(3, 4, 8)] * 2),
        )

        variants, dropped = grid(study, ENGINE)

        assert [variant.id for variant in variants if not variant.control] == [
            *("none.default", "s2.default", "s3k4d8.default")
        ]
        assert dropped == (
            Dropped("s2k1d3", "same as s2"),
            Dropped(
                "s2k1d8", "SGLang sets num_draft_tokens to num_steps + 1 when eagle_topk is 1: measured as s2"
            ),
            Dropped("s3k4d8", "listed twice"),
        )

    def test_equal_servers_are_measured_once(self, make_study: MakeStudy) -> None:
        """Variants that differ in nothing but their name would be ranked by noise."""
        study = make_study(
            speculation=speculation([1]),
            nccl={"default": PLAIN, "a": {"env": {"A": "1"}, "args": {"dtype": "float32"}}, "b": RING_LL},
            args_sets={"empty": {}, "page": {"page-size": "1"}, "x": {"c": 1}, "y": {"c": [1]}},
        )

        variants, dropped = grid(study, ENGINE)

        assert {(variant.nccl, variant.args_set) for variant in variants} == {
            *(("default", None), ("default", "x"), ("b", None), ("b", "x"))
        }
        assert dropped == (
            Dropped("nccl.a", "same as default"),
            Dropped("args_sets.empty", "same as no set of arguments"),
            Dropped("args_sets.page", "same as no set of arguments"),
            Dropped("args_sets.y", "same as x"),
        )

    def test_refuses_a_tree_without_the_nodes(self, make_study: MakeStudy) -> None:
        """The error names the study and the cell."""
        study = make_study(speculation=speculation([1], tree(1, 2, 4)))

        with pytest.raises(
            StudyError, match=r"^study quickstart: s1k2d4: num_draft_tokens 4, expected 2 to 3, "
        ):
            grid(study, ENGINE)

    @hypothesis.settings(max_examples=40)
    @given(speculations=SPECULATIONS, nccl=NCCL, args_sets=ARGS_SETS, data=st.data())
    def test_laws(
        self,
        make_study: MakeStudy,
        speculations: dict[str, Any],
        nccl: dict[str, Any],
        args_sets: dict[str, Any],
        data: st.DataObject,
    ) -> None:
        """Ids are unique, baselines there, cells canonical and legal; order and copies change nothing."""
        speculations["trees"] = [
            cell
            for cell in speculations["trees"]
            if cell["eagle_topk"] == 1 or nodes(cell) >= cell["num_draft_tokens"]
        ]
        shuffled = speculation(
            data.draw(st.permutations(speculations["num_steps"])),
            *data.draw(st.permutations(speculations["trees"] * 2)),
        )

        variants, _ = grid(make_study(speculation=speculations, nccl=nccl, args_sets=args_sets), ENGINE)
        again, _ = grid(make_study(speculation=shuffled, nccl=nccl, args_sets=args_sets), ENGINE)

        ids = [variant.id for variant in variants]
        baselines = {variant.id for variant in variants if variant.num_steps == 0 and not variant.control}
        cells = [
            Speculation(variant.num_steps, variant.eagle_topk, variant.num_draft_tokens)
            for variant in variants
            if variant.num_steps > 0
        ]
        assert len(set(ids)) == len(ids)
        assert {variant.baseline for variant in variants} == baselines
        assert all(cell.canonical() == cell for cell in cells)
        for cell in cells:
            cell.check("legal")
        assert again == variants


def nodes(cell: dict[str, int]) -> int:
    """Return the nodes that a tree offers, its root included."""
    return 1 + cell["eagle_topk"] + (cell["num_steps"] - 1) * cell["eagle_topk"] ** 2


class TestSettings:
    """Tests of `settings`."""

    def test_what_comes_later_wins(self, make_study: MakeStudy) -> None:
        """The engine's arguments, then the NCCL variant's, then the set's."""
        study = make_study(
            nccl={"a": {"env": {"A": "2", "B": "3"}, "args": {"page-size": 2, "n": 1}}},
            args_sets={"x": {"dtype": "auto"}},
            tp_size=4,
        )

        args, env = settings(study, ENGINE, "a", "x")

        assert args == {"dtype": "auto", "page-size": 2, "n": 1, "tp-size": 4, "disable-radix-cache": True}
        assert env == {"A": "2", "B": "3"}

    def test_the_radix_cache_is_the_studys_choice(self, make_study: MakeStudy) -> None:
        """With it, the flag is left out."""
        args, _ = settings(make_study(radix_cache=True), ENGINE, "default", "")

        assert "disable-radix-cache" not in args


class TestEntry:
    """Tests of `entry`."""

    def test_finds_what_the_study_says(self, make_study: MakeStudy) -> None:
        """Whatever serves, its own entry is read and no other."""
        assert entry(make_study(), "external", "x")["python"] == "sglang/bin/python"

    @pytest.mark.parametrize(
        ("engine", "keys"), [("engine-cu13", "args and env"), ("external", "python, args and env")]
    )
    def test_says_what_is_missing(self, make_study: MakeStudy, engine: str, keys: str) -> None:
        """What `auto` stands for on this host may not be in the study."""
        with pytest.raises(StudyError) as error:
            entry(make_study(engines={"engine-cpu": ENGINE}), engine, "study quickstart")

        line = (
            f"study quickstart: engines.{engine}: missing, expected an entry for the engine that serves "
            f"beside engine-cpu; add its {keys}"
        )
        assert str(error.value) == line
