"""Tests of `sweetspot.analyse.equality`."""

from typing import Any

import numpy as np
import polars as pl
import pytest

from sweetspot.analyse.equality import doubted, equality
from sweetspot.analyse.hosts import Tables

ONELOAD, ALONE = "oneload-again.default", "none.default"


def plan(**args: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return a plan that measures the baseline both ways, at load 1."""
    return {
        "rounds": 3,
        "variants": [{"id": "none.default"}],
        "workload": {"loads": [1]},
        "launches": [
            {"id": ONELOAD, "kind": "oneload", "args": args, "variants": ["none.default"]},
            {"id": ALONE, "kind": "dedicated", "args": args, "variants": ["none.default"]},
        ],
    }


def tables(oneload: list[float], alone: list[float], moved: int | None = None) -> Tables:
    """Return the tables of a pass a round and launch, with these speeds, of one token a cycle.

    Another node measured the dedicated launch of the round *moved*.
    """
    rows = [
        {
            "launch": launch,
            "round": round_,
            "node": "other" if launch == ALONE and round_ == moved else "first",
            "host": "kind",
            "variant": "none.default",
            "load": 1,
            "decode_tokens_per_s": speed,
        }
        for launch, speeds in ((ONELOAD, oneload), (ALONE, alone))
        for round_, speed in enumerate(speeds)
    ]
    every = pl.DataFrame(rows)
    passes = every.drop("node").with_columns(cycle_s=1 / pl.col("decode_tokens_per_s"))
    launches = every.select("launch", "round", "node", "host")
    return {"passes": passes, "launches": launches, "requests": passes, "exactness": passes}


class TestEquality:
    """Tests of `equality`."""

    def test_worked_example(self) -> None:
        """Ratios of 1.02, 1.02 and 1.02 are 1.02, with no width to speak of."""
        found = equality(tables([102, 204, 51], [100, 200, 50]), plan())

        (row,) = found["rows"]
        assert row["decode_tokens_per_s"] == pytest.approx(1.02)
        assert row["decode_tokens_per_s_low"] == pytest.approx(1.02)
        assert row["cycle_s"] == pytest.approx(1 / 1.02)
        assert (row["holds"], found["holds"]) == (False, False)

    def test_rounds_are_paired(self) -> None:
        """A host that is half as fast in one round moves both kinds, and their ratio not at all."""
        found = equality(tables([100, 50, 100], [100, 50, 100]), plan())

        (row,) = found["rows"]
        assert row["decode_tokens_per_s_low"] == pytest.approx(1)
        assert found["holds"]

    @pytest.mark.parametrize(
        ("oneload", "holds"),
        [
            pytest.param([100.6, 100.5, 100.6], True, id="certain, and closer than the tolerance"),
            pytest.param([92, 103, 92], True, id="far, and inside its interval"),
            pytest.param([92, 92.5, 92], False, id="far and certain"),
        ],
    )
    def test_only_what_is_both_large_and_certain_refutes(self, oneload: list[float], holds: bool) -> None:
        """A difference has to be larger than its interval, and than 1 %."""
        found = equality(tables(oneload, [100, 100, 100]), plan())

        assert found["holds"] is holds

    def test_two_cpu_servers_are_allowed_their_difference(self) -> None:
        """8 % are nothing between two CPU servers."""
        found = equality(tables([92, 92.5, 92], [100, 100, 100]), plan(device="cpu"))

        assert found["holds"]

    def test_one_round_refutes_nothing(self) -> None:
        """It has no interval."""
        found = equality(tables([50], [100]), plan())

        (row,) = found["rows"]
        assert row["decode_tokens_per_s"] == pytest.approx(0.5)
        assert row["decode_tokens_per_s_low"] is None
        assert found["holds"]

    def test_each_speed_has_its_share_of_the_level(self) -> None:
        """With two loads an interval of three rounds is as wide as t(2) at 2.5 %, 6.205, and not at 5 %."""
        one_load = tables([101, 102, 103], [100, 100, 100])
        both_loads = {
            name: pl.concat([table, table.with_columns(load=pl.lit(8, pl.Int64))])
            if "load" in table.columns
            else table
            for name, table in one_load.items()
        }

        found = equality(both_loads, plan() | {"workload": {"loads": [1, 8]}})

        logs = np.log([1.01, 1.02, 1.03])
        half = 6.2053 * logs.std(ddof=1) / np.sqrt(3)
        assert [row["decode_tokens_per_s_high"] for row in found["rows"]] == pytest.approx(
            [np.exp(logs.mean() + half)] * 2, rel=1e-5
        )

    def test_what_another_node_measured_is_no_pair(self) -> None:
        """The round whose dedicated launch ran elsewhere, half as fast, is in no ratio."""
        found = equality(tables([100, 100, 100], [100, 50, 100], moved=1), plan())

        (row,) = found["rows"]
        assert row["decode_tokens_per_s"] == pytest.approx(1)

    def test_a_launch_that_failed_leaves_no_row(self) -> None:
        """There is nothing to compare with, and that is said."""
        found = equality(tables([100, 100, 100], []), plan())

        assert found["rows"] == []
        assert found["missing"] == [{"variant": "none.default", "load": 1}]

    def test_a_pair_that_no_round_has_is_missing(self) -> None:
        """Each kind of launch failed in the other's rounds."""
        both = tables([100, 100], [100, 100])
        alone = (pl.col("launch") == ALONE) & (pl.col("round") == 0)
        again = (pl.col("launch") == ONELOAD) & (pl.col("round") == 1)

        found = equality({name: table.filter(alone | again) for name, table in both.items()}, plan())

        assert (found["rows"], len(found["missing"])) == ([], 1)

    def test_what_is_measured_one_way_alone_is_not_missed(self) -> None:
        """On a CPU the baseline has its own server in every stage."""
        one_way = plan()
        one_way["launches"][0]["variants"] = []

        found = equality(tables([], [100, 100, 100]), one_way)

        assert (found["rows"], found["missing"]) == ([], [])


def summary(**speeds: float | None) -> pl.DataFrame:
    """Return rows at load 1 with these speeds, of two NCCL variants; `s2_ll` stands for s2.ll."""
    rows = [
        {
            "variant": name.replace("_", "."),
            "load": 1,
            "num_steps": 0 if name.startswith("none") else int(name[1]),
            "baseline": f"none.{name.rpartition('_')[2]}",
            "control": False,
            "decode_tokens_per_s": speed,
        }
        for name, speed in speeds.items()
    ]
    return pl.DataFrame(rows)


class TestDoubted:
    """Tests of `doubted`."""

    def test_the_winner_its_baseline_and_the_fastest_one(self) -> None:
        """The verdict rests on these three."""
        rows = summary(none_default=110, none_ll=100, s2_default=90, s2_ll=120, s3_ll=115)

        found = doubted(rows, {"verdict_load": 1, "winner": "s2.ll"})

        assert found == ["none.default", "none.ll", "s2.ll"]

    def test_the_fastest_that_speculates_where_the_baseline_wins(self) -> None:
        """A baseline that is too fast would hide it."""
        rows = summary(none_default=110, s2_default=90, s3_default=100)

        found = doubted(rows, {"verdict_load": 1, "winner": "none.default"})

        assert found == ["none.default", "s3.default"]

    def test_nothing_where_nothing_was_measured(self) -> None:
        """Every launch failed."""
        found = doubted(summary(none_default=None, s2_default=None), {"verdict_load": 1, "winner": None})

        assert found == []
