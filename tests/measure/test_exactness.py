from collections.abc import Callable, Sequence
from typing import Any

import polars as pl
import pytest

from sweetspot.errors import MeasureError
from sweetspot.measure.tables import measure
from sweetspot.run.record import pack

Row = dict[str, Any]

SAME = {"p0": [5, 6, 7, 8], "p1": [1, 2, 3, 4]}
OTHER = {"p0": [5, 6, 52, 8], "p1": [1, 2, 3, 4]}  # leaves SAME at token 2 of p0
LATER = {"p0": [5, 6, 7, 8], "p1": [1, 2, 3, 53]}  # and at token 3 of p1


class Study:
    """Records with given outputs, measured together."""

    def __init__(self, plan: Row, make_pass: Callable[..., Row], make_record: Callable[..., Row]) -> None:
        self.plan, self.make_pass, self.make_record = plan, make_pass, make_record
        self.records: list[Row] = []

    def add(self, launch: str, *outputs: dict[str, list[int]], round_: int = 0, **changes: Any) -> None:  # noqa: ANN401
        """Add a record of *launch* whose repeats gave *outputs*."""
        accepted = None if launch.startswith("none") else [1]
        passes = [self.make_pass(accepted, outputs=o, repeat=r) for r, o in enumerate(outputs)]
        self.records.append(self.make_record(self.plan, launch, passes, round_=round_, **changes))

    def exactness(self) -> dict[str, Row]:
        """Return the rows by variant, at the only load."""
        return {row["variant"]: row for row in measure(self.records, self.plan)["exactness"].to_dicts()}


@pytest.fixture
def make_study(
    make_plan: Callable[..., Row], make_pass: Callable[..., Row], make_record: Callable[..., Row]
) -> Any:  # noqa: ANN401
    """Return a maker of studies whose plan has a baseline, steps and what else is asked for."""

    def make(*num_steps: int, **options: Any) -> Study:  # noqa: ANN401
        return Study(make_plan(*num_steps, **options), make_pass, make_record)

    return make


def test_equal_outputs(make_study: Callable[..., Study]) -> None:
    """A variant with the baseline's tokens is exact, and the baseline is the reference."""
    study = make_study(1)
    study.add("s1.default", SAME)
    study.add("none.default", SAME)

    rows = study.exactness()

    assert rows["none.default"]["status"] == "reference"
    assert rows["s1.default"]["status"] == "exact"
    assert (rows["s1.default"]["requests"], rows["s1.default"]["diverged"]) == (2, 0)
    assert rows["s1.default"]["first_divergence"] is rows["s1.default"]["worst_nats"] is None


@pytest.mark.parametrize(
    ("near_tie_nats", "second_best", "status", "nats"),
    [
        (0.05, [50, 51, 52, 53], "near-tie", 0.02),
        (0.01, [50, 51, 52, 53], "inexact", 0.02),
        (0.0, [50, 51, 52, 53], "inexact", 0.02),
        (0.05, [50, 51, 99, 53], "inexact", None),
    ],
)
def test_a_difference(
    make_study: Callable[..., Study],
    make_reference: Callable[..., Row],
    near_tie_nats: float,
    second_best: list[int],
    status: str,
    nats: float | None,
) -> None:
    """One token of one request decides, by what the baseline thought of it and what the study allows."""
    study = make_study(1, near_tie_nats=near_tie_nats)
    study.add("none.default", SAME, reference=[make_reference("p0", SAME["p0"], second_best, 200)])
    study.add("s1.default", OTHER)

    row = study.exactness()["s1.default"]

    assert row["status"] == status
    assert row["worst_nats"] == (None if nats is None else pytest.approx(nats))
    assert (row["diverged"], row["first_divergence"]) == (1, 2)
    assert (row["reason"] is None) == (status == "near-tie")


def test_one_near_tie_excuses_no_other_difference(
    make_study: Callable[..., Study], make_reference: Callable[..., Row]
) -> None:
    """All differences must be near-ties; the reason is that of the first that is none."""
    study = make_study(1, near_tie_nats=0.05, repeats=2)
    study.add("none.default", SAME, SAME, reference=[make_reference("p0", SAME["p0"], [50, 51, 52, 53], 200)])
    study.add("s1.default", OTHER, LATER)

    row = study.exactness()["s1.default"]

    assert (row["status"], row["diverged"], row["near_ties"]) == ("inexact", 2, 1)
    assert row["reason"] == "no reference pass has the same tokens before it"


def test_reference_of_another_round(
    make_study: Callable[..., Study], make_reference: Callable[..., Row]
) -> None:
    """If the baseline failed in the first round, its next round is what others are compared with."""
    study = make_study(1, rounds=2)
    failed = {"status": "failed", "failure": {"kind": "died", "message": "gone", "last_words": []}}
    study.add("none.default", round_=0, **failed)
    study.add("none.default", OTHER, round_=1)
    study.add("s1.default", OTHER, round_=0)
    study.add("s1.default", SAME, round_=1)

    row = study.exactness()["s1.default"]

    assert (row["status"], row["requests"], row["diverged"]) == ("inexact", 4, 1)


def test_the_first_output_is_the_reference(make_study: Callable[..., Study]) -> None:
    """Of a baseline's outputs that differ, the one of the first round and repeat counts."""
    study = make_study(1, rounds=2, repeats=2)
    for round_, outputs in enumerate([(SAME, OTHER), (OTHER, OTHER)]):
        study.add("none.default", *outputs, round_=round_)
        study.add("s1.default", SAME, SAME, round_=round_)

    rows = study.exactness()

    assert rows["s1.default"]["status"] == "exact"
    assert rows["none.default"]["diverged"] == 3


def test_noise_floor(make_study: Callable[..., Study]) -> None:
    """The baseline's later outputs are compared with its first: here 1 of 6 requests differs."""
    study = make_study(1, rounds=2, repeats=2)
    for round_, outputs in enumerate([(SAME, OTHER), (SAME, SAME)]):
        study.add("none.default", *outputs, round_=round_)
        study.add("s1.default", SAME, SAME, round_=round_)

    rows = study.exactness()

    assert rows["none.default"]["status"] == "reference"
    assert rows["none.default"]["diverged"] == 1
    assert rows["none.default"]["noise_floor_share"] == pytest.approx(1 / 6)
    assert rows["s1.default"]["noise_floor_share"] == pytest.approx(1 / 6)


def test_each_nccl_variant_has_its_own_baseline(make_study: Callable[..., Study]) -> None:
    """Another reduction order may give another text; only the same one is to be equal."""
    study = make_study(1, nccl=["default", "ring"])
    study.add("none.default", SAME)
    study.add("none.ring", OTHER)
    study.add("s1.default", SAME)
    study.add("s1.ring", OTHER)

    rows = study.exactness()

    assert {rows["s1.default"]["status"], rows["s1.ring"]["status"]} == {"exact"}
    assert rows["s1.default"]["baseline_diverged_share"] == 0
    assert rows["none.ring"]["baseline_diverged_share"] == rows["s1.ring"]["baseline_diverged_share"] == 0.5


def test_a_control_is_held_to_its_twins_baseline(make_study: Callable[..., Study]) -> None:
    """A variant without the timer repeats one that speculates, whose tokens are no reference."""
    study = make_study(1, untimed=1)
    study.add("none.default", SAME)
    study.add("s1.default", OTHER)
    study.add("s1-untimed.default", SAME)

    rows = study.exactness()

    assert [rows[name]["status"] for name in ("s1.default", "s1-untimed.default")] == ["inexact", "exact"]


def test_sampling_claims_nothing(make_study: Callable[..., Study]) -> None:
    """At a temperature above 0 outputs differ by chance."""
    study = make_study(1, generation={"temperature": 0.7})
    study.add("none.default", SAME)
    study.add("s1.default", OTHER)

    rows = study.exactness()

    assert {row["status"] for row in rows.values()} == {"not claimed (temperature > 0)"}
    assert rows["s1.default"]["diverged"] is rows["none.default"]["noise_floor_share"] is None
    assert rows["none.default"]["baseline_diverged_share"] is None


def test_no_baseline(make_study: Callable[..., Study]) -> None:
    """Without a baseline's output nothing can be said."""
    study = make_study(1)
    study.add("s1.default", SAME)

    row = study.exactness()["s1.default"]

    assert (row["status"], row["diverged"]) == ("no baseline", None)


def test_other_prompts(make_study: Callable[..., Study]) -> None:
    """A prompt that the baseline never saw means that the records are of two studies."""
    study = make_study(1)
    study.add("none.default", {"p0": SAME["p0"]})
    study.add("s1.default", SAME)

    with pytest.raises(MeasureError, match=r"s1.default: prompt p1 was never sent to none.default, expected"):
        study.exactness()


def test_one_output_under_two_digests(make_study: Callable[..., Study]) -> None:
    """A digest that names other tokens than it should is damage, not a difference."""
    study = make_study(1)
    study.add("none.default", SAME)
    study.add("s1.default", OTHER)
    outputs = study.records[1]["outputs"]
    mislabelled = next(digest for digest in outputs if digest not in study.records[0]["outputs"])
    outputs[mislabelled] = pack(SAME["p0"])

    with pytest.raises(MeasureError, match=r"none.default, prompt p0: one output, two digests"):
        study.exactness()


def test_order_of_records_does_not_matter(make_study: Callable[..., Study]) -> None:
    """Rounds are told by their number, not by which file was read first."""
    tables: list[Sequence[pl.DataFrame]] = []
    for step in (1, -1):
        study = make_study(1, rounds=2)
        for round_, outputs in list(enumerate([SAME, OTHER]))[::step]:
            study.add("s1.default", SAME, round_=round_)
            study.add("none.default", outputs, round_=round_)
        tables.append(list(measure(study.records, study.plan).values()))

    for one, other in zip(*tables, strict=True):
        assert one.equals(other)
