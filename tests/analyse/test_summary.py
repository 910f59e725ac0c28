import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sweetspot.analyse.summary import summarise
from sweetspot.analyse.summary_columns import SUMMARY
from sweetspot.measure.tables import measure

Row = dict[str, Any]
TOKENS = {"p0": list(range(201)), "p1": list(range(300, 501))}


@pytest.fixture
def summary_of(
    make_pass: Callable[..., Row], make_record: Callable[..., Row]
) -> Callable[..., dict[Any, Row]]:
    """Return a function from a plan and each variant's passes, as arguments of `pass_of`, to its rows."""

    def build(plan: Row, rounds: Sequence[dict[str, Row]], **changes: Any) -> dict[Any, Row]:  # noqa: ANN401
        records = []
        for round_, launches in enumerate(rounds):
            for variant, options in launches.items():
                passes = [
                    make_pass(**{"outputs": TOKENS} | options | {"load": load, "repeat": repeat})
                    for load in plan["workload"]["loads"]
                    for repeat in range(plan["workload"]["repeats"])
                ]
                records.append(make_record(plan, variant, passes, round_=round_, **changes))
        summary = summarise(measure(records, plan), plan)
        assert dict(summary.schema) == SUMMARY
        return {(row["variant"], row["load"]): row for row in summary.to_dicts()}

    return build


class TestSummarise:
    """Tests of `summarise`."""

    def test_by_hand(self, make_plan: Callable[..., Row], summary_of: Callable[..., dict[Any, Row]]) -> None:
        """A baseline at 100 tokens/s; steps 2 that accept 0, 1, 2, 1 drafts in turn, in cycles of 12.5 ms."""
        plan = make_plan(2, rounds=2)
        launches = {"none.default": {}, "s2.default": {"accepted": [0, 1, 2, 1], "cycle_us": 12_500}}

        rows = summary_of(plan, [launches, launches])

        baseline, row = rows["none.default", 1], rows["s2.default", 1]
        assert baseline["decode_tokens_per_s"] == pytest.approx(100)
        assert baseline["speedup"] == 1
        assert baseline["speedup_low"] is baseline["accept_rate"] is None
        assert baseline["accept_length"] == 1
        assert baseline["break_even_accept_length"] == pytest.approx(1)
        assert baseline["identity_residual"] == pytest.approx(0)
        assert row["decode_tokens_per_s"] == pytest.approx(2 / 0.0125)
        assert [row["speedup"], row["speedup_low"], row["speedup_high"]] == pytest.approx([1.6] * 3)
        assert row["accept_length"] == pytest.approx(2)
        assert row["acceptance_by_position"] == pytest.approx([0.75, 0.25])
        assert row["conditional_acceptance"] == pytest.approx([0.75, 1 / 3])
        assert row["proposed_drafts"] == 2 * 400  # 100 cycles in each of 4 requests
        assert row["accept_rate"] == pytest.approx(0.5)
        assert row["cycle_s"] == pytest.approx(0.0125)
        assert row["break_even_accept_length"] == pytest.approx(1.25)
        assert row["identity_residual"] == pytest.approx(0)
        assert row["ttft_p50_s"] == row["prefill_s"] == pytest.approx(0.05)
        assert row["prefill_tokens"] == 64
        assert row["itl_chunk_p99_s"] == pytest.approx(0.0125, rel=0.006)
        assert row["itl_token_p50_s"] == pytest.approx(0.0125 / 2, rel=0.006)
        assert (row["exact"], row["diverged_share"]) == ("exact", 0)
        assert (row["status"], row["rounds"], row["passes"], row["requests"]) == ("complete", 2, 2, 4)
        assert row["start_s"] == 10.5

    def test_median_of_repeats_within_a_round(
        self, make_plan: Callable[..., Row], make_pass: Callable[..., Row], make_record: Callable[..., Row]
    ) -> None:
        """One slow repeat of three is an accident and does not count; rounds are averaged as logarithms."""
        plan = make_plan(rounds=2, repeats=3)
        cycles_us = [[10_000, 90_000, 10_000], [40_000, 40_000, 40_000]]
        records = [
            make_record(
                plan,
                "none.default",
                [make_pass(cycle_us=us, repeat=repeat) for repeat, us in enumerate(repeats)],
                round_=round_,
            )
            for round_, repeats in enumerate(cycles_us)
        ]

        row = summarise(measure(records, plan), plan).row(0, named=True)

        assert row["decode_tokens_per_s"] == pytest.approx((100 * 25) ** 0.5)
        assert row["cycle_s"] == pytest.approx(0.02)
        assert row["decode_tokens_per_s_low"] < 25
        assert row["verify_s_by_round"] == pytest.approx([0.01, 0.04])

    def test_an_even_number_of_repeats(
        self, make_plan: Callable[..., Row], make_pass: Callable[..., Row], make_record: Callable[..., Row]
    ) -> None:
        """However far two repeats are apart, a sound row satisfies the identity."""
        plan = make_plan(repeats=2)
        passes = [make_pass(cycle_us=us, repeat=repeat) for repeat, us in enumerate([10_000, 40_000])]

        row = summarise(measure([make_record(plan, "none.default", passes)], plan), plan).row(0, named=True)

        assert row["decode_tokens_per_s"] == pytest.approx(50)
        assert row["cycle_s"] == pytest.approx(0.02)
        assert row["identity_residual"] == pytest.approx(0)

    def test_each_load(
        self, make_plan: Callable[..., Row], summary_of: Callable[..., dict[Any, Row]]
    ) -> None:
        """At load 2 two requests at 100 tokens/s each make 200, and break even is of one request."""
        plan = make_plan(1, loads=[1, 2])

        rows = summary_of(plan, [{"none.default": {}, "s1.default": {"accepted": [1]}}])

        assert list(rows) == [("none.default", 1), ("none.default", 2), ("s1.default", 1), ("s1.default", 2)]
        assert rows["none.default", 2]["decode_tokens_per_s"] == pytest.approx(200)
        assert rows["s1.default", 2]["decode_tokens_per_s"] == pytest.approx(400)
        assert rows["s1.default", 2]["break_even_accept_length"] == pytest.approx(1)
        assert {row["full_load_share"] for row in rows.values()} == {1}
        assert rows["s1.default", 2]["identity_residual"] == pytest.approx(0)
        assert rows["s1.default", 2]["speedup"] == pytest.approx(2)
        assert rows["s1.default", 2]["speedup_low"] is None

    def test_its_own_baseline(
        self, make_plan: Callable[..., Row], summary_of: Callable[..., dict[Any, Row]]
    ) -> None:
        """A speedup is over the baseline with the same NCCL variant, never another's."""
        plan = make_plan(1, nccl=["default", "ring"])
        launches = {
            "none.default": {"cycle_us": 20_000},
            "s1.default": {"accepted": [1], "cycle_us": 20_000},
            "none.ring": {"cycle_us": 10_000},
            "s1.ring": {"accepted": [1], "cycle_us": 20_000},
        }

        rows = summary_of(plan, [launches])

        assert rows["s1.default", 1]["speedup"] == pytest.approx(2)
        assert rows["s1.ring", 1]["speedup"] == pytest.approx(1)

    def test_proposed_drafts_are_the_variants(
        self, make_plan: Callable[..., Row], make_pass: Callable[..., Row], make_record: Callable[..., Row]
    ) -> None:
        """A server started with 5 steps says it proposed 5 drafts a cycle, also while it is held at 2."""
        plan = make_plan(2)
        passes = [make_pass([0, 2], outputs=TOKENS)]
        for request in passes[0]["requests"]:
            request["meta"]["spec_num_proposed_drafts"] = 5 * request["meta"]["spec_verify_ct"]

        tables = measure([make_record(plan, "s2.default", passes)], plan)
        row = summarise(tables, plan).row(1, named=True)

        assert tables["passes"]["server_proposed_drafts"].item() == 5 * 200
        assert row["proposed_drafts"] == 2 * 200
        assert row["accept_rate"] == pytest.approx(0.5)

    def test_a_position_never_accepted(
        self, make_plan: Callable[..., Row], summary_of: Callable[..., dict[Any, Row]]
    ) -> None:
        """Servers leave out the end of a histogram; a position without acceptance has its share of 0."""
        launches = {"none.default": {}, "s3.default": {"accepted": [0, 1]}}

        row = summary_of(make_plan(3), [launches])["s3.default", 1]

        assert row["acceptance_by_position"] == pytest.approx([0.5, 0, 0], abs=0.01)

    def test_failed_and_partial(
        self, make_plan: Callable[..., Row], make_pass: Callable[..., Row], make_record: Callable[..., Row]
    ) -> None:
        """Every variant of the plan has its row: without numbers, or with those from before the failure."""
        plan = make_plan(1, 2, rounds=2, repeats=2)
        failed = {
            "status": "failed",
            "failure": {"kind": "start_died", "message": "out of memory", "last_words": []},
        }
        baseline = [make_pass(repeat=0), make_pass(repeat=1)]
        records = [
            make_record(plan, "none.default", baseline),
            make_record(plan, "none.default", baseline, round_=1),
            make_record(plan, "s1.default", [make_pass([1], repeat=0), make_pass([1], repeat=1)]),
            make_record(plan, "s1.default", [], round_=1, **failed),
            make_record(plan, "s2.default", [], **failed),
            make_record(plan, "s2.default", [], round_=1, **failed),
        ]

        complete, partial, nothing = summarise(measure(records, plan), plan).to_dicts()

        assert (complete["status"], complete["failure"]) == ("complete", None)
        assert (partial["status"], partial["failure"]) == ("partial", "start_died: out of memory")
        assert (partial["passes"], complete["passes"]) == (2, 4)
        assert (partial["rounds"], partial["speedup"], partial["speedup_low"]) == (1, pytest.approx(2), None)
        assert (nothing["status"], nothing["failure"]) == ("failed", "start_died: out of memory")
        assert (nothing["passes"], nothing["requests"], nothing["num_steps"]) == (0, 0, 2)
        assert partial["decode_tokens_per_s_by_round"] == [pytest.approx(200), None]
        assert (partial["launch"], nothing["launch"]) == ("s1.default", None)
        assert nothing["decode_tokens_per_s"] is nothing["speedup"] is nothing["exact"] is None

    def test_variants_of_one_launch(
        self, make_plan: Callable[..., Row], make_pass: Callable[..., Row], make_record: Callable[..., Row]
    ) -> None:
        """What a start does to all its variants alike is in no speedup, and the more rounds the less."""
        plan = make_plan(1, 2, rounds=4)
        names = ["none.default", "s1.default", "s2.default"]
        plan["launches"] = [plan["launches"][0] | {"id": "oneload.default", "variants": names}]
        records = [
            make_record(
                plan,
                "oneload.default",
                {
                    "none.default": [make_pass(cycle_us=us)],
                    "s1.default": [make_pass([1], cycle_us=us + 10, outputs=TOKENS)],
                    "s2.default": [make_pass([2], cycle_us=us, outputs=TOKENS)],
                },
                round_=round_,
            )
            for round_, us in enumerate([10_000, 20_000, 14_000, 30_000])
        ]

        rows = summarise(measure(records, plan), plan).to_dicts()

        assert [row["launch"] for row in rows] == ["oneload.default"] * 3
        assert rows[1]["decode_tokens_per_s_high"] / rows[1]["decode_tokens_per_s_low"] > 2
        assert 1.99 < rows[1]["speedup_low"] < rows[1]["speedup"] < rows[1]["speedup_high"] < 2.01
        assert rows[1]["p_value_adjusted"] < 1e-5

    def test_baseline_failed(
        self, make_plan: Callable[..., Row], summary_of: Callable[..., dict[Any, Row]]
    ) -> None:
        """Without a baseline there is a speed and no speedup."""
        rows = summary_of(make_plan(1), [{"s1.default": {"accepted": [1]}}])

        baseline, row = rows["none.default", 1], rows["s1.default", 1]
        assert (baseline["status"], baseline["failure"]) == ("failed", "not every launch was measured")
        assert row["decode_tokens_per_s"] == pytest.approx(200)
        assert row["speedup"] is row["break_even_accept_length"] is row["noise_floor_share"] is None
        assert row["exact"] == "no baseline"

    def test_server_without_counters(
        self, make_plan: Callable[..., Row], summary_of: Callable[..., dict[Any, Row]]
    ) -> None:
        """A server that ran no speculation has a speed, and no acceptance to show for it."""
        rows = summary_of(make_plan(1), [{"none.default": {}, "s1.default": {"accepted": None}}])

        row = rows["s1.default", 1]
        assert row["speedup"] == pytest.approx(1)
        assert row["accept_length"] is row["identity_residual"] is row["acceptance_by_position"] is None


@pytest.mark.parametrize("column", list(SUMMARY)[9:])
def test_every_number_is_explained(column: str) -> None:
    """The page on metrics names every column but those that name the row."""
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()

    assert f"`{re.sub('_(low|high|p[0-9]+_s)$', '', column)}" in page
