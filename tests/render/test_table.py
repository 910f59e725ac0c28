import csv
import io
import json
from typing import Any

import polars as pl
import pytest

from sweetspot.analyse.hosts import Apart
from sweetspot.render.table import apart_to_markdown, notes_on_launches, to_csv, to_markdown
from tests.render.conftest import CAUTIONS


@pytest.fixture
def markdown(summary: pl.DataFrame, verdict: dict[str, Any]) -> str:
    """The whole of table.md."""
    return to_markdown(summary, verdict, ["CPU: says nothing about a GPU"])


def test_another_kind_of_host_is_apart(summary: pl.DataFrame, verdict: dict[str, Any]) -> None:
    """Below the study's own tables, under the name of the host; nothing where there is none."""
    text = apart_to_markdown([Apart("8 x H100 | 2", summary, verdict | {"sentence": "unclear"})])

    assert text.splitlines()[1].endswith(r": 8 x H100 \| 2")
    assert "\n\nunclear\n\n### Load 1\n\n| variant" in text
    assert apart_to_markdown([]) == ""


def cells(markdown: str, load: int, row: int) -> list[str]:
    """Return the cells of a row, 0 for the headings, of the table of *load*."""
    lines = markdown.partition(f"## Load {load}")[2].strip().splitlines()
    table = [line for line in lines if line.startswith("|") and "---" not in line]
    return [cell.strip() for cell in table[row].strip("|").split("|")]


class TestToMarkdown:
    """Tests of `to_markdown`."""

    def test_reference_is_on_the_first_row(self, markdown: str) -> None:
        """Both tables open with the baseline, whose speedup is 1 and has no interval."""
        assert cells(markdown, 1, 1)[:4] == ["none.default", "reference", "200 [198, 204]", "1"]
        assert cells(markdown, 4, 1)[:2] == ["none.default", "reference"]

    def test_numbers_and_intervals(self, markdown: str) -> None:
        """A whole row, written out by hand."""
        assert cells(markdown, 1, 2) == [
            "s2.default",
            "faster",
            "241.3 [239.9, 242.7]",
            "1.204 [1.191, 1.218]",
            "2.13",
            "1.76",
            "0.567 of 1872",
            "8.80",
            *("1.50", "6.00", "0.900", "0.400"),
            "2.10",
            "−0.5 %",
            "exact",
            "3, 15",
            "oneload.default",
        ]

    def test_headings_say_what_is_counted(self, markdown: str) -> None:
        """accept_length says that the bonus token counts, accept_rate names its denominator."""
        headings = cells(markdown, 1, 0)

        assert "accept_length (bonus incl.) [tokens/cycle]" in headings
        assert "accept_rate (accepted / proposed drafts)" in headings

    def test_a_baselines_decode_stands_where_others_verify(self, markdown: str) -> None:
        """Each phase has its column, so that one is compared down the page; the target's pass has one."""
        (place,) = (i for i, heading in enumerate(cells(markdown, 1, 0)) if "verify" in heading)

        assert [cells(markdown, 1, row)[place] for row in (1, 2)] == ["4.70", "6.00"]

    def test_what_the_headline_rests_on_is_said(self, markdown: str, verdict: dict[str, Any]) -> None:
        """What it leaves open stands right below it."""
        assert markdown.startswith(f"{verdict['sentence']}\n\n{verdict['detail']}\n\n## Load 1")

    def test_failed_row(self, markdown: str) -> None:
        """A variant that failed keeps its row, which names the failure and holds no number."""
        row = cells(markdown, 1, 4)

        assert row == ["s5.default", "failed: stalled", *["–"] * 13, "0, 0", "–"]

    def test_partial_row(self, markdown: str) -> None:
        """A variant that failed in some rounds has its numbers and says so."""
        assert cells(markdown, 1, 7)[1] == "broken (partial: died)"

    def test_control(self, markdown: str) -> None:
        """A baseline measured a second time is judged like the others, and told from them."""
        assert cells(markdown, 1, 5)[:2] == ["none-again.default", "unclear (control)"]

    def test_divergence(self, markdown: str) -> None:
        """An inexact row tells the first token that differs."""
        assert "inexact (token 17)" in cells(markdown, 1, 3)

    def test_reasons_and_cautions_follow(self, summary: pl.DataFrame, verdict: dict[str, Any]) -> None:
        """What is known about a row or the study stands below, each on a line of its own."""
        verdict["rows"][0]["reasons"] = ["tokens differ\nin near-ties", "speedup above 1"]
        verdict["warnings"] = ["none-again.default is faster"]

        text = to_markdown(summary, verdict, ["CPU: says nothing about a GPU"])

        assert "\n- CPU: says nothing about a GPU\n" in text
        assert "\n- none-again.default is faster\n" in text
        assert "\n- s2.default at load 1: tokens differ in near-ties; speedup above 1\n" in text

    def test_the_same_reasons_share_a_line(self, summary: pl.DataFrame, verdict: dict[str, Any]) -> None:
        """A study of one round would say 48 times that it has one."""
        for row in verdict["rows"][6:12]:
            row["reasons"] = ["one round", "so without an interval"]

        text = to_markdown(summary, verdict, [])

        assert text.count("one round") == 1
        assert (
            "none.default at load 4, none-again.default at load 1 and 3 more: one round; so without" in text
        )

    def test_reason_that_the_table_tells(self, summary: pl.DataFrame, verdict: dict[str, Any]) -> None:
        """That an interval lies above 1, or that a launch failed, is not said a second time."""
        verdict["rows"][0]["reasons"] = ["speedup 1.19 to 1.22, above 1"]
        verdict["rows"][4]["reasons"] = ["stalled"]

        text = to_markdown(summary, verdict, [])

        assert " at load 1: " not in text

    def test_names_are_escaped(self, summary: pl.DataFrame, verdict: dict[str, Any]) -> None:
        """A name neither opens a cell nor becomes HTML."""
        verdict["sentence"] = "a|b <script>"

        assert to_markdown(summary, verdict, []).startswith(r"a\|b &lt;script>")


class TestToCsv:
    """Tests of `to_csv`."""

    def test_full_precision_and_units(self, summary: pl.DataFrame, verdict: dict[str, Any]) -> None:
        """Every number comes back as it was, under a name that says its unit."""
        rows = list(csv.DictReader(io.StringIO(to_csv(summary, verdict, CAUTIONS))))

        chain = next(row for row in rows if row["variant"] == "s2.default")
        assert float(chain["decode_tokens_per_s"]) == 241.26
        assert float(chain["accept_length_bonus_included_tokens"]) == 2.134
        assert float(chain["accept_rate_of_proposed_drafts"]) == 0.567
        assert chain["acceptance_by_position_share_of_cycles"] == "[0.7, 0.434]"
        assert chain["load_requests"] == "1"
        assert chain["verdict"] == "faster"
        assert json.loads(chain["cautions"]) == CAUTIONS

    def test_every_row_and_column(self, summary: pl.DataFrame, verdict: dict[str, Any]) -> None:
        """Nothing of the summary is left out, failed rows included."""
        rows = list(csv.DictReader(io.StringIO(to_csv(summary, verdict, CAUTIONS))))

        assert len(rows) == summary.height
        assert len(rows[0]) == summary.width + len(["verdict", "reasons", "winner", "cautions"])
        assert [row["decode_tokens_per_s"] for row in rows].count("") == 3


def test_each_launch_says_why() -> None:
    """One line a launch, with its kind."""
    plan = {"launches": [{"id": "s2k4d8.default", "kind": "dedicated", "reason": "a tree"}]}

    assert notes_on_launches(plan) == ["launch s2k4d8.default, dedicated: a tree"]
