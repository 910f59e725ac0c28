"""Draws a row for each variant: what a cycle costs, and what it yields. Neither reads nor saves.

A row bears the mark at which its variant would be as fast as its baseline. A variant without a number stays
in its place, as a gap that says why.
"""

from collections.abc import Sequence
from itertools import pairwise

from matplotlib.axes import Axes

from sweetspot.render.rows import Row, why_missing
from sweetspot.render.theme import COLOURS, PHASE_COLOURS, SMALL_PT

PHASES = (
    "draft",
    "verify",
    "extend",
    "decode",
    "other",
)  # columns `draft_s` and so on, where timed
BREAK_EVEN = "break-even"


def phases(row: Row) -> list[tuple[str, float]]:
    """Return the phases of a cycle and their seconds: one, `cycle`, where the engine tells no more."""
    told = [(phase, row[f"{phase}_s"]) for phase in PHASES if row.get(f"{phase}_s") is not None]
    return told or [("cycle", row["cycle_s"])]


def draw_cycle(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw how long a cycle takes, by phase where the engine tells, and how long it might take."""
    _set_variants(axes, rows)
    axes.set(xlabel="cycle time [ms]")
    for y, row in enumerate(rows):
        if row["cycle_s"] is None:
            _draw_gap(axes, y, row)
            continue
        end_ms = 0.0
        for phase, seconds in phases(row):
            axes.barh(y, 1000 * seconds, left=end_ms, height=0.6, color=PHASE_COLOURS[phase], label=phase)
            end_ms += 1000 * seconds
        if row["break_even_accept_length"] is not None and row["accept_length"] is not None:
            # accept_length / baseline tok/s, at any load
            limit_ms = 1000 * row["cycle_s"] * row["accept_length"] / row["break_even_accept_length"]
            _draw_margin(axes, y, limit_ms, end_ms, gains=end_ms < limit_ms)
    axes.set_xlim(left=0)


def draw_accept_length(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw each accept_length, the break-even that it has to pass, and the margin between them."""
    _set_variants(axes, rows)
    axes.set(xlabel="accept_length, bonus included [tokens/cycle]")
    for y, row in enumerate(rows):
        measured, needed = row["accept_length"], row["break_even_accept_length"]
        if measured is None or needed is None:
            _draw_gap(axes, y, row)
            continue
        gains = measured > needed
        colour = _margin_colour(gains)
        _draw_margin(axes, y, needed, measured, gains)
        label = f"accept_length: {'gains' if gains else 'loses'}"
        axes.plot(measured, y, marker="o", linestyle="", color=colour, label=label)
        axes.annotate(
            f"{measured - needed:+.2f}".replace("-", "−"),
            (max(measured, needed), y),
            (7, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL_PT,
            color=colour,
        )
    left, right = axes.get_xlim()
    axes.set_xlim(min(1, left), max(1.5, right))  # 1: no draft was accepted


def _set_variants(axes: Axes, rows: Sequence[Row]) -> None:
    """Name the rows from top to bottom, with a line between those of different baselines."""
    axes.set_yticks(range(len(rows)), [row["variant"] for row in rows])
    axes.set_ylim(max(len(rows), 1) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    for y, (above, below) in enumerate(pairwise(rows)):
        if above["baseline"] != below["baseline"]:
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


def _draw_margin(axes: Axes, y: float, break_even: float, value: float, gains: bool) -> None:
    tick = ([break_even, break_even], [y - 0.38, y + 0.38])
    axes.plot([break_even, value], [y, y], color=_margin_colour(gains), solid_capstyle="butt")
    axes.plot(*tick, color=COLOURS["surface"], linewidth=3.5, solid_capstyle="butt")
    axes.plot(*tick, color=COLOURS["ink"], solid_capstyle="butt", label=BREAK_EVEN)
