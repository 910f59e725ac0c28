import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweetspot.analyse.audit import audit, format
from tests.analyse.audit.planting import SHAPES, planted

SOURCE = Path(__file__).parents[4] / "shared" / "source" / "000_53b16379cb34623d.txt"
OWN = Path(__file__).parents[3] / "results" / "published" / "kimi-k2.5-int4" / "statement.txt"
PIECES = (
    *(
        "| steps ",
        "| accept length ",
        "| cycle ms ",
        "| tok/s ",
        "|---|---|---|\n",
        "from 28.7 ms to 21.7 ms",
        "2-step ",
    ),
    *(
        "EAGLE3_PROF (0 cycles, 0 tok)",
        "TOTAL: 0.00 ms/cyc",
        "Accept len: 0.00",
        "Eff tok/s: 0.0",
        "0",
        "1.85-2.12",
        "~",
    ),
    *(
        '{"steps": 0, "acc_length": 0, "step_time": 0, "speed": 0}',
        "baseline 0 tok/s",
        "0% below baseline",
        "5x in draft ",
    ),
)
ROWS = st.lists(
    st.tuples(st.floats(1.0, 6.0), st.floats(5.0, 60.0)), min_size=3, max_size=6
)  # accept length, milliseconds a cycle
ALL_RULES = [
    ("accept-length-falls", "contradiction", 1),
    ("accept-rate", "warning", 1),
    ("banner-speed", "contradiction", 1),
    ("draft-time-falls", "warning", 1),
    ("factor", "contradiction", 1),
    ("mixed-convention", "contradiction", 2),
    ("percent", "contradiction", 1),
    ("range-one-end", "contradiction", 1),
    ("same-configuration", "contradiction", 1),
    ("sweep-gaps", "contradiction", 1),
]


def _table(drawn: list[tuple[float, float]], off: int | None = None) -> str:
    """Return a table of one request's figures, the speed of one row a quarter too high."""
    lines = ["| setting | accept length | cycle ms | decode tok/s | concurrency |", "|---|---|---|---|---|"]
    for row, (length, cycle) in enumerate(drawn):
        speed = length / cycle * 1000 * (1.25 if row == off else 1)
        lines.append(f"| {'abcdef'[row]} | {length:.2f} | {cycle:.2f} | {speed:.1f} | 1 |")
    return "\n".join(lines) + "\n"


def found(text: str) -> list[tuple[str, str, int]]:
    """Return each rule that found something, the kind, and how often."""
    findings = audit(text, "text").findings
    kinds = sorted({(finding.rule, finding.kind) for finding in findings})
    return [(rule, kind, sum((f.rule, f.kind) == (rule, kind) for f in findings)) for rule, kind in kinds]


class TestAudit:
    """Tests of `audit`."""

    @pytest.mark.skipif(not SOURCE.exists(), reason="the published text is not on this machine")
    def test_the_published_text(self) -> None:
        """Every contradiction that was found in it by hand, and nothing else."""
        assert found(SOURCE.read_text()) == ALL_RULES

    def test_the_same_figures_in_other_words(self) -> None:
        """The rules read figures, not phrases: an upright table, a banner on many lines."""
        assert found(OWN.read_text()) == ALL_RULES

    @pytest.mark.parametrize(
        ("old", "new", "rule"),
        [
            ("~27%", "~24%", "percent"),
            ("5x reduction", "3x reduction", "factor"),
            ("Eff tok/s: 33.1", "Eff tok/s: 86.2", "banner-speed"),
            ("1.85-2.12", "1.87", "range-one-end"),
            ("~19% to ~47%", "~19% to ~43%", "accept-rate"),
            ("1.07 | 18.82", "0.47 | 18.82", "draft-time-falls"),
            ("71.3 tok/s (20%", "66.3 tok/s (25%", "same-configuration"),
            ("shows conclusively", "suggests", "sweep-gaps"),
        ],
    )
    def test_a_corrected_figure_is_no_longer_found(self, old: str, new: str, rule: str) -> None:
        """Each finding goes away with its cause, and brings no other."""
        text = OWN.read_text()
        assert old in text

        left = found(text.replace(old, new))

        assert [item for item in left if item[1] == "contradiction" or item[0] != rule] == [
            item for item in ALL_RULES if item[0] != rule
        ]

    @pytest.mark.parametrize("shape", SHAPES)
    def test_quiet_on_consistent_input(self, shape: str) -> None:
        """Nothing is said against figures that agree, whatever their names, units and layout."""
        report = audit(SHAPES[shape], shape)

        assert report.findings == ()
        assert report.exit_code == 0

    @given(ROWS)
    def test_any_figures_that_agree(self, drawn: list[tuple[float, float]]) -> None:
        """Whatever a table holds, figures computed from each other and then rounded are no contradiction."""
        report = audit(_table(drawn), "x")

        assert report.contradictions == ()

    @given(ROWS, st.data())
    def test_any_figure_off(self, drawn: list[tuple[float, float]], data: st.DataObject) -> None:
        """A speed that is off by a quarter is found in its row, whichever it is."""
        off = data.draw(st.integers(0, len(drawn) - 1))

        report = audit(_table(drawn, off), "x")

        assert any(
            f.rule in {"identity", "mixed-convention"} and f.place.line == off + 3 for f in report.findings
        )

    @pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "another kind of steps"])
    def test_consistent_input_is_read(self, shape: str) -> None:
        """Quiet means checked: the report says what was read."""
        assert audit(SHAPES[shape], shape).understood

    def test_what_was_not_understood_is_said(self) -> None:
        """A column without a known name is listed, not guessed at."""
        report = audit("| steps | accept length | zorp |\n|---|---|---|\n| 1 | 1.5 | 3 |\n", "x")

        assert report.not_understood == ("table 1 (line 1): column 'zorp'",)

    def test_the_recomputed_figure_is_told(self) -> None:
        """What the banner should have said stands in the message, with the measurement that agrees."""
        (finding,) = (f for f in audit(OWN.read_text(), "x").findings if f.rule == "banner-speed")

        assert "(249 + 400) / (400 x 18.82 ms) = 86.2, and 85.1 tok/s was measured" in finding.message

    @given(st.lists(st.sampled_from([*PIECES, *" |,\n\t%x"]), max_size=60).map("".join))
    def test_any_text(self, text: str) -> None:
        """Nothing that someone may write stops it, and every place is in the text."""
        report = audit(text, "x")

        assert all(1 <= finding.place.line <= text.count("\n") + 1 for finding in report.findings)
        assert format(report).startswith("x: ")

    @given(st.text(max_size=200))
    def test_any_characters(self, text: str) -> None:
        """Neither does any other text, binary ones included."""
        assert format(audit(text, "x")).startswith("x: ")

    def test_a_long_log(self) -> None:
        """Eight times the lines take some eight times as long: nothing is quadratic in the length."""
        text = SHAPES["sglang log of unknown settings"]
        times = []
        for copies in (20, 160):
            start = time.process_time()
            audit(text * copies, "x")
            times.append(time.process_time() - start)

        assert times[1] < 8 * 2 * times[0] + 0.5

    def test_empty(self) -> None:
        """A text without figures has no findings."""
        assert audit("", "x").findings == ()


class TestFormat:
    """Tests of `format`."""

    def test_a_finding_names_rule_place_figures_and_cause(self) -> None:
        """Enough to check it by hand."""
        report = audit("Verify fell by 40% (from 28.7 ms to 21.7 ms).\n", "post.md")

        lines = format(report).splitlines()

        assert report.exit_code == 1
        assert lines[0] == "post.md: 1 contradiction, 0 warnings"
        assert lines[2].startswith("contradiction [percent] at line 1, column 16 (Verify fell")
        assert lines[3] == "  40% stated, but 28.7 to 21.7 is 24.4% of 28.7, 32.3% of 21.7"
        assert lines[4] == "  figures: 40%, 28.7, 21.7"
        assert lines[5].startswith("  likely cause: ")

    def test_warnings_do_not_fail(self) -> None:
        """A doubt is printed and the exit code stays 0."""
        report = audit(planted("vllm bench serve", "8.40", "28.40"), "x")

        assert [finding.kind for finding in report.findings] == ["warning"]
        assert report.exit_code == 0
