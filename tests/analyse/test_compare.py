import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from sweetspot.analyse.changed_results import ResultChange, by_round
from sweetspot.analyse.compare import Comparison, compare, describe
from sweetspot.analyse.study_files import StudyFiles
from sweetspot.analyse.summary import summarise
from sweetspot.analyse.verdict import judge
from sweetspot.analyse.welch import differs, ratio
from sweetspot.errors import RecordError
from sweetspot.measure.tables import measure

Row = dict[str, Any]
MakeStudy = Callable[..., StudyFiles]

FACTS: Row = {
    "host": {"cpu": {"model": "EPYC", "usable_cores": 8}, "driver": "570.1", "gpus": []},
    "engine": {
        "name": "fake",
        "built_by": "pip",
        "packages": {"sglang": "0.5.23", "nvidia-nccl-cu12": "2.27.3", "numpy": "2.4.6"},
    },
    "models": {
        role: {"folder": "here", "files": {"config.json": "aa"}, "weights": {}}
        for role in ("target", "draft")
    },
}
PROMPTS: Row = {"prompts": {"sha256": "abc", "chat_template": None, "thinking": None}}
TOKENS = {"p0": list(range(201))}


@pytest.fixture
def make_study(make_pass: Callable[..., Row], make_record: Callable[..., Row]) -> MakeStudy:
    """Return a function from a plan and the options of each variant's passes, by round, to a study."""

    def build(
        plan: Row,
        rounds: Sequence[dict[str, Row]],
        name: str = "x",
        prompts: Row = PROMPTS,
        **facts: Any,  # noqa: ANN401
    ) -> StudyFiles:
        records = [
            make_record(plan, variant, [make_pass(outputs=TOKENS, **options)], round_=round_)
            for round_, launches in enumerate(rounds)
            for variant, options in launches.items()
        ]
        for record in records:
            record |= FACTS | facts | {"identity": record["identity"] | prompts}
        tables = measure(records, plan)
        del records[0]["cycles"]  # a file of its own
        summary = summarise(tables, plan)
        return StudyFiles(name, plan, records[0], tables["passes"], summary, judge(summary))

    return build


@pytest.fixture
def study(make_plan: Callable[..., Row], make_study: MakeStudy) -> StudyFiles:
    """A baseline and 2 steps, in two rounds."""
    return make_study(make_plan(2, rounds=2), rounds_of(10_000, 10_100))


def rounds_of(
    *cycles_us: int, factor: float = 1.0, accepted: Sequence[int] = (0, 1, 2, 1)
) -> list[dict[str, Row]]:
    """Return rounds of a baseline with these cycles, and of 2 steps whose cycles are *factor* as long."""
    return [
        {"none.default": {"cycle_us": us}, "s2.default": {"cycle_us": int(us * factor), "accepted": accepted}}
        for us in cycles_us
    ]


def save(study: StudyFiles, folder: Path, source: Path, plan: str) -> None:
    """Write the files of a study: tables into *folder*, and what was run into *source*."""
    run = source / "run" / "none.default" / "0"
    for path in (run, (source / plan).parent, folder / "measure"):
        path.mkdir(parents=True, exist_ok=True)
    (run / "record.json").write_text(json.dumps(study.record))
    (source / plan).write_text(json.dumps(study.plan))
    (folder / "verdict.json").write_text(json.dumps(study.verdict))
    study.summary.write_parquet(folder / "summary.parquet")
    study.passes.write_parquet(folder / "measure" / "passes.parquet")


def change_of(comparison: Comparison, variant: str, name: str) -> ResultChange:
    """Return what became of a number at load 1."""
    return next(r for r in comparison.results if (r.variant, r.name) == (variant, name))


class TestRatio:
    """Tests of `ratio`."""

    def test_by_hand(self) -> None:
        """Logs 0, 2 and 3, 5: means 4 apart less 1; variances 2 over 2 rounds each; 2 degrees, t 4.3027."""
        found = ratio([1, math.e**2], [math.e**3, math.e**5])

        half = 4.302653 * math.sqrt(2)
        assert found.centre == pytest.approx(math.exp(3))
        assert (found.low, found.high) == pytest.approx((math.exp(3 - half), math.exp(3 + half)))

    def test_degrees_of_freedom_where_one_study_has_no_spread(self) -> None:
        """Then the other's rounds alone count: one degree of freedom, t 12.7062."""
        found = ratio([1.0, 1.0, 1.0], [1.0, math.e**2])

        assert found.high == pytest.approx(math.exp(1 + 12.706205))

    def test_one_round(self) -> None:
        """One round on either side gives no interval, and no answer."""
        assert ratio([1.0], [2.0, 2.1]).low is None
        assert differs(ratio([2.0, 2.1], [4.0])) is None

    def test_rounding_is_no_difference(self) -> None:
        """The same value in 3 and in 7 rounds is the same, whatever the last bit of its logarithm."""
        assert differs(ratio([1.7] * 3, [1.7] * 7)) is False

    def test_holds_what_it_promises(self) -> None:
        """Of 1000 pairs of studies with unequal spreads and no difference, about 5 % are called one."""
        rng = np.random.default_rng(0)

        found = [
            differs(ratio(np.exp(rng.normal(0, 0.01, 3)).tolist(), np.exp(rng.normal(0, 0.03, 5)).tolist()))
            for _ in range(1000)
        ]

        assert 0.02 < sum(map(bool, found)) / 1000 < 0.08


class TestCompare:
    """Tests of `compare`."""

    def test_a_study_with_itself(self, make_plan: Callable[..., Row], make_study: MakeStudy) -> None:
        """Nothing differs, and the text says so of both inputs and results."""
        study = make_study(make_plan(2, rounds=3), rounds_of(10_000, 10_100, 9_900, factor=1.25))

        found = compare(study, study)

        assert found.inputs == found.verdicts == found.only_a == found.only_b == found.refusals == []
        assert not any(result.larger for result in found.results)
        assert "Inputs that differ: none" in describe(found)
        assert "by more than their 95 % intervals: none of 6" in describe(found)

    def test_a_change_beyond_the_spread(self, make_plan: Callable[..., Row], make_study: MakeStudy) -> None:
        """Cycles of 2 steps 10 % longer, rounds 1 % apart: its speed changed, the baseline's did not."""
        plan = make_plan(2, rounds=3)
        before = make_study(plan, rounds_of(10_000, 10_100, 9_900, factor=1.25))
        after = make_study(plan, rounds_of(10_020, 9_910, 10_080, factor=1.375))

        found = compare(before, after)

        speed = change_of(found, "s2.default", "decode_tokens_per_s")
        assert speed.ratio is not None
        assert speed.ratio.centre == pytest.approx(1.25 / 1.375, rel=0.002)
        assert speed.larger is True
        assert change_of(found, "s2.default", "speedup").larger is True
        assert change_of(found, "s2.default", "cycle_s").larger is True
        assert change_of(found, "s2.default", "accept_length").larger is False
        assert change_of(found, "none.default", "decode_tokens_per_s").larger is False

    def test_ratio_is_that_of_the_summaries(
        self, make_plan: Callable[..., Row], make_study: MakeStudy
    ) -> None:
        """The rounds that the interval is made of give the numbers that the tables show."""
        plan = make_plan(2, rounds=2)
        before = make_study(plan, rounds_of(10_000, 11_000, factor=1.3))
        after = make_study(plan, rounds_of(9_000, 12_000, factor=1.2, accepted=[2, 2, 1]))

        results = compare(before, after).results

        assert {change.name for change in results} >= {"decode_tokens_per_s", "speedup", "accept_length"}
        for change in results:
            assert change.ratio is not None
            assert change.a is not None
            assert change.b is not None
            assert change.ratio.centre == pytest.approx(change.b / change.a)

    def test_speedup_over_a_baseline_and_its_control(
        self, make_plan: Callable[..., Row], make_study: MakeStudy
    ) -> None:
        """Where the baseline is measured twice, a speedup is over both, in each round as in the table."""
        control = {"none-again.default": {"cycle_us": 12_000}}
        rounds = [launches | control for launches in rounds_of(10_000, 9_000)]
        study = make_study(make_plan(2, control=True, rounds=2), rounds)
        row = study.summary.row(by_predicate=pl.col("variant") == "s2.default", named=True)

        speedups = by_round(study, row, "speedup")

        assert speedups[0] == pytest.approx(2 * 1.2**0.5)
        assert math.prod(speedups) ** 0.5 == pytest.approx(row["speedup"])

    def test_one_round_has_no_answer(self, make_plan: Callable[..., Row], make_study: MakeStudy) -> None:
        """However far apart, two single rounds tell nothing; the text lists them without a claim."""
        plan = make_plan(2)

        found = compare(make_study(plan, rounds_of(10_000)), make_study(plan, rounds_of(20_000)))

        assert {result.larger for result in found.results} == {None}
        assert "intervals: none of 0 compared\n" in describe(found)
        assert "Differences without an interval" in describe(found)

    def test_inputs(self, make_plan: Callable[..., Row], make_study: MakeStudy) -> None:
        """Each changed fact is named once, in its group, and what did not change is not."""
        plan, other = make_plan(2, rounds=2), make_plan(2, rounds=3, near_tie_nats=0.1)
        other["launches"][0]["args"] = {"dtype": "float16"}
        other["launches"][1]["args"] = {"dtype": "float16", "page-size": 4}
        other["launches"][1]["env"] = {"NCCL_PROTO": "LL"}
        packages = {"sglang": "0.5.24", "nvidia-nccl-cu12": "2.28.1", "numpy": "2.4.6"}

        found = compare(
            make_study(plan, rounds_of(10_000, 10_000)),
            make_study(
                other,
                rounds_of(10_000, 10_000, 10_000),
                host=FACTS["host"] | {"driver": "580.2"},
                engine=FACTS["engine"] | {"packages": packages},
                models={role: model | {"folder": "there"} for role, model in FACTS["models"].items()},
            ),
        )

        assert [(c.group, c.name, c.a, c.b, c.where) for c in found.inputs] == [
            ("driver", "version", "570.1", "580.2", ""),
            ("packages", "sglang", "0.5.23", "0.5.24", ""),
            ("packages", "nvidia-nccl-cu12", "2.27.3", "2.28.1", ""),
            ("workload", "near_tie_nats", "0.0", "0.1", ""),
            ("plan", "rounds", "2", "3", ""),
            ("arguments", "dtype", "absent", "float16", "every variant"),
            ("arguments", "page-size", "absent", "4", "s2.default"),
            ("environment", "NCCL_PROTO", "absent", "LL", "s2.default"),
        ]

    def test_models_and_prompts(self, make_plan: Callable[..., Row], make_study: MakeStudy) -> None:
        """Other weights behind the same name, and another prompts file, are other inputs."""
        plan, rounds = make_plan(2), rounds_of(10_000)
        draft = {"folder": "here", "files": {"config.json": "bb"}, "weights": {}}

        found = compare(
            make_study(plan, rounds),
            make_study(
                plan,
                rounds,
                models=FACTS["models"] | {"draft": draft},
                prompts={"prompts": PROMPTS["prompts"] | {"sha256": "def"}},
            ),
        )

        assert [(change.group, change.name) for change in found.inputs] == [
            ("models", "draft.files.config.json"),
            ("prompts", "sha256"),
        ]

    def test_the_grid(self, make_plan: Callable[..., Row], make_study: MakeStudy) -> None:
        """Other steps, trees, controls and NCCL variants, and another way to launch what both have."""
        plan, rounds = make_plan(2), rounds_of(10_000)
        other = make_plan(1, 2, 3, nccl=("default", "ll"), control=True)
        other["variants"][3] |= {"id": "s2k2d4.default", "eagle_topk": 2}
        other["launches"][0]["kind"] = "oneload"

        found = compare(make_study(plan, rounds), replace(make_study(plan, rounds), plan=other))

        assert [(c.group, c.name, c.a, c.b, c.where) for c in found.inputs] == [
            ("plan", "num_steps", "[2]", "[1, 2, 3]", ""),
            ("plan", "trees", "none", "s2k2d4", ""),
            ("plan", "controls", "none", "none-again", ""),
            ("plan", "nccl", "default", "default, ll", ""),
            ("launch", "kind", "dedicated", "oneload", "none.default"),
        ]

    def test_variants_of_one_study_alone(self, make_plan: Callable[..., Row], make_study: MakeStudy) -> None:
        """They are named and not compared."""
        rounds = rounds_of(10_000, 10_100)
        wide = [launches | {"s3.default": {"accepted": [1]}} for launches in rounds]

        found = compare(
            make_study(make_plan(2, rounds=2), rounds), make_study(make_plan(2, 3, rounds=2), wide, "y")
        )

        assert (found.only_a, found.only_b) == ([], ["s3.default at load 1"])
        assert "Only in y\n  s3.default at load 1" in describe(found)

    def test_verdicts(self, make_plan: Callable[..., Row], make_study: MakeStudy) -> None:
        """A verdict that turned, and the winner that it made, are told."""
        plan = make_plan(2, rounds=3)
        before = make_study(plan, rounds_of(10_000, 10_100, 9_900, factor=1.25))
        after = make_study(plan, rounds_of(10_000, 10_100, 9_900, factor=2.5))

        found = compare(before, after)

        assert [(c.variant, c.a, c.b) for c in found.verdicts] == [("s2.default", "faster", "slower")]
        assert "the winner: s2.default -> none.default" in describe(found)

    def test_another_engine(self, make_plan: Callable[..., Row], make_study: MakeStudy) -> None:
        """Speeds on two engines give no ratio; accept_length, which is no speed, does."""
        plan, rounds = make_plan(2, rounds=2), rounds_of(10_000, 10_100)
        engine = FACTS["engine"] | {"name": "engine-cpu"}

        found = compare(
            make_study(plan, rounds), make_study(plan | {"engine": "engine-cpu"}, rounds, engine=engine)
        )

        compared = {result.name for result in found.results if result.ratio is not None}
        assert compared == {"accept_length"}
        assert found.refusals == ["decode speed, speedup, cycle: measured on engines fake and engine-cpu"]

    def test_another_protocol(self, make_plan: Callable[..., Row], make_study: MakeStudy) -> None:
        """What is measured in another way is not compared at all."""
        plan, rounds = make_plan(2, rounds=2), rounds_of(10_000, 10_100)

        found = compare(make_study(plan, rounds), make_study(plan, rounds, protocol=2))

        assert {result.ratio for result in found.results} == {None}
        assert "protocol: number 1 -> 2" in describe(found)
        assert "measured by protocols 1 and 2" in found.refusals[0]

    def test_lost_in_one_study(self, make_plan: Callable[..., Row], make_study: MakeStudy) -> None:
        """A variant whose launches all failed in one study is told, without a number made up for it."""
        plan, rounds = make_plan(2, rounds=2), rounds_of(10_000, 10_100)
        failed = [{"none.default": launches["none.default"]} for launches in rounds]

        found = compare(make_study(plan, rounds), make_study(plan, failed, "y"))

        assert change_of(found, "s2.default", "speedup").why == "not measured in y"
        assert "s2.default at load 1: speedup 2 -> none, not measured in y" in describe(found)
        assert ("s2.default", "failed") in [(c.variant, c.b) for c in found.verdicts]


class TestStudyFiles:
    """Tests of `StudyFiles.read`."""

    def test_of_ones_own_and_published(self, study: StudyFiles, tmp_path: Path) -> None:
        """Plan and records of a rendered study lie in results/published/."""
        save(study, tmp_path / "mine", tmp_path / "mine", "plan/plan.json")
        save(study, tmp_path / "rendered" / "mine", tmp_path / "published" / "mine", "plan.json")

        own, published = (StudyFiles.read(tmp_path / folder) for folder in ("mine", "rendered/mine"))

        for read in (own, published):
            assert (read.plan, read.record, read.verdict) == (study.plan, study.record, study.verdict)
            assert read.summary.equals(study.summary)
            assert read.passes.equals(study.passes)

    def test_tables_of_another_version(self, study: StudyFiles, tmp_path: Path) -> None:
        """A summary that lacks a column is not compared, and the line says what to do."""
        old = replace(study, summary=study.summary.drop("decode_tokens_per_s_by_round"))
        save(old, tmp_path / "mine", tmp_path / "mine", "plan/plan.json")

        with pytest.raises(
            RecordError, match=r"no column decode_tokens_per_s_by_round, .*; summarise it again"
        ):
            StudyFiles.read(tmp_path / "mine")

    def test_no_such_study(self, tmp_path: Path) -> None:
        """The missing file is named, in one line."""
        with pytest.raises(
            RecordError, match=r"plan\.json: missing, expected a study that was measured; name"
        ):
            StudyFiles.read(tmp_path / "nothing")

    def test_a_damaged_file_is_told(self, tmp_path: Path) -> None:
        """A plan that was cut short is one line, as everywhere."""
        (tmp_path / "plan").mkdir()
        (tmp_path / "plan" / "plan.json").write_text('{"launches": [')

        with pytest.raises(RecordError, match=r"plan\.json: .*, expected JSON; delete it"):
            StudyFiles.read(tmp_path)

    def test_reported_study(self, tmp_path: Path) -> None:
        """Figures without records can't be compared."""
        folder = tmp_path / "published" / "theirs"
        folder.mkdir(parents=True)
        (folder / "reported.yaml").touch()

        with pytest.raises(RecordError, match="figures that were reported, expected records"):
            StudyFiles.read(tmp_path / "rendered" / "theirs")
