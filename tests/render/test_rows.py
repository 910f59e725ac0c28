from typing import Any

import polars as pl
import pytest

from sweetspot.analyse.summary_columns import SUMMARY
from sweetspot.render.rows import judged_rows


def test_example_is_of_the_analysis(summary: pl.DataFrame) -> None:
    """The rows that these tests make up have only columns that a summary has."""
    assert set(summary.columns) <= SUMMARY.keys()


class TestJudgedRows:
    """Tests of `judged_rows`."""

    def test_baseline_leads_its_own(self, summary: pl.DataFrame, verdict: dict[str, Any]) -> None:
        """Whatever the order in the plan, a baseline stands before the variants that it judges."""
        rows = [row for row in judged_rows(summary, verdict) if row["load"] == 1]

        assert [row["variant"] for row in rows] == [
            "none.default",
            "s2.default",
            "s3k4d8.default",
            "s5.default",
            "none-again.default",
            "none.ring-ll",
            "s2.ring-ll",
        ]

    def test_one_winner(self, summary: pl.DataFrame, verdict: dict[str, Any]) -> None:
        """The winner is a variant at the load of the verdict, not at the others."""
        winners = [row for row in judged_rows(summary, verdict) if row["winner"]]

        assert [(row["variant"], row["load"], row["verdict"]) for row in winners] == [
            ("s2.default", 1, "faster")
        ]

    def test_row_without_verdict(self, summary: pl.DataFrame, verdict: dict[str, Any]) -> None:
        """A row that nothing was said about stops the table, it does not pass for a good one."""
        verdict["rows"].pop()

        with pytest.raises(KeyError, match="ring-ll"):
            judged_rows(summary, verdict)
