"""Tests of `sweetspot.analyse.banner`."""

from typing import Any

import polars as pl
import pytest

from sweetspot.analyse.audit import audit
from sweetspot.analyse.banner import banners
from sweetspot.measure.passes import PASSES
from tests.conftest import plan_of

SPECULATIVE = {
    "variant": "s2.default",
    "cycle_s": 0.010,
    "draft_s": 0.002,
    "verify_s": 0.006,
    "extend_s": 0.001,
}
BASELINE = {"variant": "none.default", "cycle_s": 0.005, "decode_s": 0.0045}


def passes(*rows: dict[str, Any]) -> pl.DataFrame:
    """Return passes with these columns, each of 300 cycles at load 1 with 2.5 tokens a cycle."""
    made = {"load": 1, "timed_cycles": 300, "timed_tokens": 750, "cycle_clock": "host"}
    return pl.DataFrame([dict.fromkeys(PASSES) | made | row for row in rows], PASSES)


def text_of(*rows: dict[str, Any]) -> str:
    """Return the banners of a study with a baseline and two steps."""
    return banners(passes(*rows), plan_of(2, profile="phases"), [])


class TestBanners:
    """Tests of `banners`."""

    def test_worked_example(self) -> None:
        """Two passes of two steps: a weighted mean, shares of the total, tokens with the bonus token."""
        longer = SPECULATIVE | {"cycle_s": 0.016, "verify_s": 0.012, "timed_cycles": 150, "timed_tokens": 375}

        text = text_of(SPECULATIVE, longer)

        assert text.partition("\n\n")[2].splitlines() == [
            "EAGLE3_PROF (450 cycles, 1125 tok, s2.default at load 1, clock: host)",
            "  Draft steps:        2.000 ms/cyc ( 16.7%)",
            "  Target verify:      8.000 ms/cyc ( 66.7%)",
            "  Draft re-extend:    1.000 ms/cyc (  8.3%)",
            "  Other overhead:     1.000 ms/cyc (  8.3%)",
            "  TOTAL:             12.000 ms/cyc",
            "  Accept len: 2.50 (tokens a cycle and request, bonus token included)",
            "  Eff tok/s: 208.3",
        ]

    def test_cautions_stand_above(self) -> None:
        """Who sees the file alone sees them, and the banners below are still read as such."""
        text = banners(passes(SPECULATIVE), plan_of(2, profile="phases"), ["Acceptance is a dial", "CPU"])

        assert text.splitlines()[:3] == ["Acceptance is a dial", "CPU", ""]
        assert "1 EAGLE3_PROF banners" in audit(text, "eagle3_prof.txt").understood

    def test_a_baseline_has_its_decode_step(self) -> None:
        """It speculates nothing and yields one token a cycle."""
        text = text_of(BASELINE | {"timed_tokens": 300})

        assert "Target decode:      4.500 ms/cyc ( 90.0%)" in text
        assert "Draft steps" not in text
        assert "Accept len: 1.00 " in text

    def test_an_audit_finds_nothing_wrong(self) -> None:
        """The audit that takes other people's banners apart reads ours too, and each number follows."""
        text = text_of(BASELINE | {"timed_tokens": 300, "timed_cycles": 300}, SPECULATIVE, SPECULATIVE)

        assert audit(text, "eagle3_prof.txt").exit_code == 0

    @pytest.mark.parametrize(("cycles", "told"), [(399, True), (400, False)])
    def test_few_cycles_are_said_to_be_few(self, cycles: int, told: bool) -> None:
        """Below 400 cycles the banner says that it is not to be compared."""
        text = text_of(SPECULATIVE | {"timed_cycles": cycles})

        assert ("Fewer than 400 cycles" in text) is told

    def test_of_the_load_of_the_verdict(self) -> None:
        """Other loads are left out, and a variant without a cycle is named."""
        text = text_of(SPECULATIVE | {"load": 8})

        assert text.splitlines() == [
            "none.default at load 1: no cycle was timed",
            "",
            "s2.default at load 1: no cycle was timed",
        ]

    def test_no_profile(self) -> None:
        """A study without a timer has a file that says so."""
        text = banners(passes(), plan_of(2, profile="none"), ["Not from a lock"])

        assert text == "Not from a lock\n\nNo cycle was timed: the study has `profile: none`.\n"
