import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sweetspot.analyse.digits import speedup_text
from sweetspot.render import by_steps, by_variant
from sweetspot.render.figures import lay_out, save_all
from sweetspot.render.rows import PHASES, Row, judged_rows
from sweetspot.render.theme import COLOURS, PHASE_COLOURS
from tests import browser
from tests.render.conftest import BASELINE, CAUTIONS, CHAIN, VERDICT

NAMES = ["default", "ring-ll", "ring-ll128", "ring-simple", "tree", "custom"]
MANY_NCCL: dict[str, Any] = {
    "reference": "default",
    "variants": {name: {"status": "seen", "detail": None, "without_effect": False} for name in NAMES},
    "messages": [],
    "times": [
        {"nccl": name, "bytes": kib << 10}
        | {"allreduce_s": 8e-6, "allreduce_low_s": 7e-6, "allreduce_high_s": 9e-6}
        for name in NAMES
        for kib in (8, 16, 24, 32, 48, 64, 128, 192, 256, 384)
    ],
    "prediction": [
        {"variant": f"s{steps}.{name}", "nccl": name, "load": load, "predicted_difference_s": 1e-4}
        | {f"measured_difference_{end}s": 2e-4 for end in ("", "low_", "high_")}
        for steps in (1, 2, 3, 5)
        for name in NAMES[1:]
        for load in (1, 8)
    ],
}


def thirty() -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return the summary and the verdict of six NCCL variants at five step counts and two loads."""
    rows = [
        (CHAIN if steps else BASELINE)
        | {"variant": f"{f's{steps}' if steps else 'none'}.{name}", "nccl": name, "load": load}
        | {"baseline": f"none.{name}", "num_steps": steps}
        for name in NAMES
        for steps in (0, 1, 2, 3, 5)
        for load in (1, 8)
    ]
    judged = [
        {"variant": row["variant"], "load": row["load"], "reasons": []}
        | {"verdict": "faster" if row["num_steps"] else "reference"}
        for row in rows
    ]
    judged[-1]["verdict"] = "unclear"
    return pl.DataFrame(rows, infer_schema_length=None), VERDICT | {"winner": None, "rows": judged}


@pytest.fixture
def rows(summary: pl.DataFrame, verdict: dict[str, Any]) -> list[Row]:
    """The rows at load 1."""
    return [row for row in judged_rows(summary, verdict) if row["load"] == 1]


@pytest.fixture
def axes() -> Axes:
    """Empty axes."""
    return Figure().subplots()


def words(axes: Axes) -> list[str]:
    """Return what is written inside *axes*."""
    return [text.get_text() for text in axes.texts]


@pytest.mark.parametrize(
    "draw",
    [by_steps.draw_speed, by_steps.draw_acceptance, by_variant.draw_cycle, by_variant.draw_accept_length],
)
def test_axes_carry_units(draw: Any, axes: Axes, rows: list[Row]) -> None:  # noqa: ANN401
    """Each figure draws, and an axis of numbers has its unit in brackets; there is no title."""
    draw(axes, rows)

    assert axes.has_data()
    assert "[" in axes.get_xlabel()
    assert "[" in axes.get_ylabel() or axes.get_yticklabels()[0].get_text() == "none.default"
    assert axes.get_title() == ""


class TestDrawSpeed:
    """Tests of `draw_speed`."""

    def test_points_and_intervals(self, axes: Axes, rows: list[Row]) -> None:
        """Each variant with a number is a point with its interval."""
        by_steps.draw_speed(axes, rows)

        points = sorted(float(container.lines[0].get_ydata()[0]) for container in axes.containers)
        assert points == [200.4, 200.4, 200.4, 241.26, 241.26, 241.26]
        assert all(container.has_yerr for container in axes.containers)

    def test_failure_is_a_gap_that_says_why(self, axes: Axes, rows: list[Row]) -> None:
        """A variant without a number keeps its place, with the kind of its failure."""
        by_steps.draw_speed(axes, rows)

        assert "5" in [label.get_text() for label in axes.get_xticklabels()]
        assert "stalled" in words(axes)

    def test_winner_says_its_speedup(self, axes: Axes, rows: list[Row]) -> None:
        """It has a ring, and the legend its speedup; nothing but failures is written among the points."""
        by_steps.draw_speed(axes, rows)

        rings = [line.get_ydata().tolist() for line in axes.lines if line.get_markersize() == 11]
        assert rings == [[241.26]]
        assert "winner, 1.204×" in [handle.get_label() for handle in by_steps.speed_legend(rows)]
        assert words(axes) == ["stalled"]

    def test_winner_says_its_speedup_as_the_table_does(self, rows: list[Row]) -> None:
        """An interval that just leaves 1 out costs a digit in both."""
        numbers = {"speedup": 1.27, "speedup_low": 1.03, "speedup_high": 1.51}
        (winner,) = ({**row, **numbers} for row in rows if row["winner"])

        labels = [handle.get_label() for handle in by_steps.speed_legend([winner])]

        assert speedup_text(winner) == "1.27 [1.03, 1.51]"
        assert "winner, 1.27×" in labels

    def test_a_baseline_is_neither_faster_nor_unclear(self, axes: Axes, rows: list[Row]) -> None:
        """Its point is half filled as the legend's is: filled and hollow are of what is compared."""
        by_steps.draw_speed(axes, rows)

        fills = {container.lines[0].get_fillstyle() for container in axes.containers[:1]}
        (legend,) = (line for line in by_steps.speed_legend(rows) if line.get_label() == "baseline")
        assert isinstance(legend, Line2D) and {legend.get_fillstyle()} == fills == {"bottom"}
        assert [c.lines[0].get_fillstyle() for c in axes.containers].count("bottom") == 2  # of six points

    def test_a_broken_baseline_is_hollow(self, axes: Axes, rows: list[Row]) -> None:
        """It is no reference."""
        by_steps.draw_speed(axes, [rows[0] | {"verdict": "broken"}])

        assert axes.containers[0].lines[0].get_markerfacecolor() == COLOURS["surface"]

    def test_names_of_controls_are_broken(self, axes: Axes, rows: list[Row]) -> None:
        """`none` and `none-again` stand beside each other, and are wide."""
        by_steps.draw_speed(axes, rows)

        assert [label.get_text() for label in axes.get_xticklabels()][:2] == ["none", "none-\nagain"]

    def test_one_round(self, axes: Axes, rows: list[Row]) -> None:
        """Without intervals there are points and no bars."""
        bare = [row | {"decode_tokens_per_s_low": None, "decode_tokens_per_s_high": None} for row in rows]

        by_steps.draw_speed(axes, bare)

        assert not any(container.has_yerr for container in axes.containers)

    def test_failed_baseline(self, axes: Axes, rows: list[Row]) -> None:
        """Without a baseline there is no line, and the rest is drawn."""
        lost = rows[0] | {"decode_tokens_per_s": None, "failure": "refused", "status": "failed"}

        by_steps.draw_speed(axes, [lost, *rows[1:]])

        assert "refused" in words(axes)
        assert len(axes.containers) == 5


class TestBySpeculation:
    """Tests of `by_speculation`."""

    def test_nccl_variants_stand_side_by_side(self, rows: list[Row]) -> None:
        """So their phases are compared at a glance; few steps first, as on the axis of step counts."""
        found = [row["variant"] for row in by_steps.by_speculation(rows)]

        assert found == [
            *("none.default", "none.ring-ll", "none-again.default", "s2.default", "s2.ring-ll"),
            *("s5.default", "s3k4d8.default"),
        ]


class TestDrawAcceptance:
    """Tests of `draw_acceptance`."""

    def test_a_line_for_each_step_count(self, axes: Axes, rows: list[Row]) -> None:
        """Two NCCL variants of one step count share a line; a failed step count is in the legend."""
        by_steps.draw_acceptance(axes, [row for row in rows if row["num_steps"] > 0])

        drawn = {str(line.get_label()): list(line.get_ydata()) for line in axes.lines}
        assert drawn == {"2": [0.7, 0.434], "5: stalled": [], "3 k4 d8": [0.8, 0.5, 0.3]}


class TestDrawCycle:
    """Tests of `draw_cycle`."""

    def test_one_bar_where_no_phase_is_told(self, axes: Axes, rows: list[Row]) -> None:
        """The bar is the cycle; the mark is accept_length / baseline tok/s."""
        by_variant.draw_cycle(axes, [rows[1] | dict.fromkeys(f"{phase}_s" for phase in PHASES)])

        marks = [line for line in axes.lines if line.get_label() == "break-even"]
        assert [bar.get_width() for bar in axes.patches] == [8.8]
        assert marks[0].get_xdata()[0] == pytest.approx(1000 * 2.134 / 200.4, rel=1e-3)

    def test_phases_add_up(self, axes: Axes, rows: list[Row]) -> None:
        """Where the engine tells phases, the bars stand end to end."""
        told = rows[1] | {"draft_s": 0.002, "verify_s": 0.005, "extend_s": 0.001, "other_s": None}

        by_variant.draw_cycle(axes, [told])

        assert [(bar.get_x(), bar.get_width()) for bar in axes.patches] == [(0, 2), (2, 5), (7, 1)]

    def test_a_line_parts_what_several_nccl_variants_share(self, axes: Axes, rows: list[Row]) -> None:
        """Baselines, their control, and 2 steps: two lines; under one NCCL variant alone there is none."""
        none, again, two = rows[0], rows[4], rows[1]
        ring = [row | {"nccl": "ring"} for row in (none, two)]

        by_variant.draw_cycle(axes, [none, ring[0], again, two, ring[1]])
        alone = Figure().subplots()
        by_variant.draw_cycle(alone, [none, again, two, two | {"control": True, "baseline": "s2.default"}])

        across = [float(line.get_ydata()[0]) for line in axes.lines if line.get_color() == COLOURS["grid"]]
        assert across == [1.5, 2.5]
        assert not [line for line in alone.lines if line.get_color() == COLOURS["grid"]]

    def test_no_two_phases_look_alike(self) -> None:
        """Beside an untimed control's cycle stands a baseline's decode."""
        assert len(set(PHASE_COLOURS.values())) == len(PHASE_COLOURS)

    def test_missing_row(self, axes: Axes, rows: list[Row]) -> None:
        """A variant without a cycle time says that it failed, or that none was measured."""
        by_variant.draw_cycle(axes, [rows[3], rows[1] | {"cycle_s": None}])

        assert words(axes) == ["no result: stalled", "no result: not measured"]


class TestDrawAcceptLength:
    """Tests of `draw_accept_length`."""

    def test_margin(self, axes: Axes, rows: list[Row]) -> None:
        """The margin is accept_length less its break-even, with its sign."""
        loses = rows[1] | {"break_even_accept_length": 2.5}

        by_variant.draw_accept_length(axes, [rows[1], loses])

        assert words(axes) == ["+0.37", "−0.37"]


class TestLayOut:
    """Tests of `lay_out`."""

    def test_a_long_name_is_not_cut(self, axes: Axes) -> None:
        """The axes make room for what stands beside them."""
        axes.set_yticks([0], ["s5k8d64.ring-ll-tuned.no-overlap"])

        lay_out(axes.figure)

        assert axes.get_tightbbox().x0 > 0


class TestSaveAll:
    """Tests of `save_all`."""

    def test_every_figure_in_both_kinds(self, saved: list[Path]) -> None:
        """Each figure is an SVG and a PNG."""
        names = ["speed", "acceptance", "cycle", "accept-length"]

        assert [path.name for path in saved] == [f"{n}.{kind}" for n in names for kind in ("svg", "png")]

    def test_same_bytes_twice(
        self, summary: pl.DataFrame, verdict: dict[str, Any], saved: list[Path], tmp_path: Path
    ) -> None:
        """Identical input gives identical files, with no date and no version in them."""
        again = save_all(summary, verdict, tmp_path, cautions=CAUTIONS)

        assert [path.read_bytes() for path in again] == [path.read_bytes() for path in saved]
        assert not any(b"Matplotlib" in path.read_bytes() for path in saved)

    def test_each_says_what_its_bars_are(self, saved: list[Path]) -> None:
        """An interval of what, or that there is none: a figure is shown without its page too."""
        svgs = [path.read_text() for path in saved if path.suffix == ".svg"]

        assert all(re.search("<!-- [^>]*(interval|half)", svg) for svg in svgs)

    @pytest.mark.browser
    @browser.needed
    def test_thirty_variants_can_be_read(self, tmp_path: Path) -> None:
        """Of six NCCL variants at five step counts and two loads no label is cut off or covered."""
        svgs = [
            path.read_text() for path in save_all(*thirty(), tmp_path, MANY_NCCL) if path.suffix == ".svg"
        ]

        found = browser.look(f"<!doctype html><body>{''.join(svgs)}</body>", 1280, tmp_path)

        assert len(found["texts"]) == 6 and min(found["texts"]) > 10
        assert found["outside"] == found["overlapping"] == []

    def test_each_says_what_to_know_before_believing_it(self, saved: list[Path]) -> None:
        """A figure that is shown alone still says that it is of a CPU, or not from a lock."""
        svgs = [path.read_text() for path in saved if path.suffix == ".svg"]

        # letters are outlines there, with the line in a comment beside them
        assert all(f"<!-- {caution} -->" in svg for svg in svgs for caution in CAUTIONS)
