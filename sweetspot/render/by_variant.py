"""Draws a row for each variant: what a cycle costs, and what it yields. Neither reads nor saves.

A row bears the mark at which its variant would be as fast as its baseline. A variant without a number stays
in its place, as a gap that says why.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from matplotlib.axes import Axes

from sweetspot.render.by_steps import step_label
from sweetspot.render.rows import PHASES, Row, phases, why_missing
from sweetspot.render.theme import COLOURS, PHASE_COLOURS, SMALL_PT

BREAK_EVEN = "break-even"
Ends = tuple[float, float]


class Margin(NamedTuple):
    """How far a variant is from being as fast as its baseline."""

    y: float  # its place
    break_even: float
    value: float
    gains: bool


def draw_cycle(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw how long a cycle takes, by phase where the engine tells, and how long it might take."""
    _set_variants(axes, rows)
    axes.set(xlabel="cycle time [ms]")
    bars: dict[str, list[tuple[float, float, float]]] = {}  # by phase: place, beginning, length
    margins = []
    for y, row in enumerate(rows):
        if row["cycle_s"] is None:
            _draw_gap(axes, y, row)
            continue
        end_ms = 0.0
        for phase, seconds in phases(row):
            bars.setdefault(phase, []).append((y, end_ms, 1000 * seconds))
            end_ms += 1000 * seconds
        known = row["break_even_accept_length"] is not None and row["accept_length"] is not None
        if known and row["num_steps"]:
            # accept_length / baseline tok/s, at any load
            limit_ms = 1000 * row["cycle_s"] * row["accept_length"] / row["break_even_accept_length"]
            margins.append(Margin(y, limit_ms, end_ms, gains=end_ms < limit_ms))
    for phase in (*PHASES, "cycle"):
        if phase not in bars:
            continue
        ys, begins, lengths = zip(*bars[phase], strict=True)
        axes.barh(ys, lengths, left=begins, height=0.6, color=PHASE_COLOURS[phase], label=phase)
    _draw_margins(axes, margins)
    axes.set_xlim(left=0)


def draw_accept_length(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw each accept_length, the break-even that it has to pass, and the margin between them."""
    _set_variants(axes, rows)
    axes.set(xlabel="accept_length, bonus included [tokens/cycle]")
    margins = []
    for y, row in enumerate(rows):
        measured, needed = row["accept_length"], row["break_even_accept_length"]
        if measured is None or needed is None:
            _draw_gap(axes, y, row)
        else:
            margins.append(Margin(y, needed, measured, gains=measured > needed))
    _draw_margins(axes, margins)
    for gains in dict.fromkeys(margin.gains for margin in margins):
        alike = [margin for margin in margins if margin.gains is gains]
        label = f"accept_length: {'gains' if gains else 'loses'}"
        values, ys = [margin.value for margin in alike], [margin.y for margin in alike]
        axes.plot(values, ys, marker="o", linestyle="", color=_margin_colour(gains), label=label)
    for margin in margins:
        axes.annotate(
            f"{margin.value - margin.break_even:+.2f}".replace("-", "−"),
            (max(margin.value, margin.break_even), margin.y),
            (7, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL_PT,
            color=_margin_colour(margin.gains),
        )
    left, right = axes.get_xlim()
    axes.set_xlim(min(1, left), max(1.5, right))  # 1: no draft was accepted


def _set_variants(axes: Axes, rows: Sequence[Row]) -> None:
    """Name the rows from top to bottom, with a line between those of different speculation."""
    axes.set_yticks(range(len(rows)), [row["variant"] for row in rows])
    axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    several = len({(row["nccl"], row["args_set"]) for row in rows}) > 1
    for y, (above, below) in enumerate(pairwise(rows)):
        if several and step_label(above) != step_label(below):
            axes.axhline(y + 0.5, color=COLOURS["grid"], linewidth=0.7)


def _draw_gap(axes: Axes, y: float, row: Row) -> None:
    axes.axhspan(y - 0.4, y + 0.4, color=COLOURS["grid"], linewidth=0, zorder=1.5)
    axes.text(
        0.02,
        y,
        f"no result: {why_missing(row)}",
        transform=axes.get_yaxis_transform(),
        va="center",
        fontsize=SMALL_PT,
    )


def _margin_colour(gains: bool) -> str:
    return COLOURS["blue" if gains else "vermillion"]


def _draw_margins(axes: Axes, margins: Sequence[Margin]) -> None:
    """Draw all margins in a few lines with gaps: hundreds of lines would take seconds."""
    for gains in (True, False):
        alike = [margin for margin in margins if margin.gains is gains]
        lines = [((margin.break_even, margin.value), (margin.y, margin.y)) for margin in alike]
        axes.plot(*_with_gaps(lines), color=_margin_colour(gains), solid_capstyle="butt")
    ticks = [((m.break_even, m.break_even), (m.y - 0.38, m.y + 0.38)) for m in margins]
    axes.plot(*_with_gaps(ticks), color=COLOURS["surface"], linewidth=3.5, solid_capstyle="butt")
    if ticks:
        axes.plot(*_with_gaps(ticks), color=COLOURS["ink"], solid_capstyle="butt", label=BREAK_EVEN)


def _with_gaps(lines: Sequence[tuple[Ends, Ends]]) -> tuple[list[float], list[float]]:
    """Return the places along x and y of one line that holds all of *lines*."""
    xs, ys = ([end for line in lines for end in (*line[axis], math.nan)] for axis in (0, 1))
    return xs, ys
