"""Draws bare all-reduces, and the verify they predict against the measured one. Neither reads nor saves."""

from textwrap import fill
from typing import Any

from matplotlib.axes import Axes

from sweetspot.render.nccl import variant_lines
from sweetspot.render.theme import COLOURS, SERIES_COLOURS, SERIES_MARKERS, SMALL_PT

_LETTERS = 60  # that fit side by side into a figure


def draw_nccl(axes: Axes, nccl: dict[str, Any]) -> None:
    """Draw the measured difference in verify against the predicted one, and the line on which they are equal.

    A colour is an NCCL variant. Without a difference the axes say why they are empty.
    """
    rows = [row for row in nccl["prediction"] if row["measured_difference_s"] is not None]
    axes.set(xlabel="predicted difference in verify [ms]", ylabel="measured difference in verify [ms]")
    if not rows:
        _say_why_empty(axes, nccl)
        return
    for name, style in _styles(nccl).items():
        of_name = [row for row in rows if row["nccl"] == name]
        predicted, measured = (
            [1e3 * row[f"{kind}_difference_s"] for row in of_name] for kind in ("predicted", "measured")
        )
        if of_name:
            axes.plot(predicted, measured, linestyle="", label=name, **style)
    axes.axline((0, 0), slope=1, color=COLOURS["muted"], linestyle="--", linewidth=1, label="as predicted")
    axes.axhline(0, color=COLOURS["grid"], linewidth=0.7, zorder=0)
    axes.axvline(0, color=COLOURS["grid"], linewidth=0.7, zorder=0)


def draw_allreduce(axes: Axes, nccl: dict[str, Any]) -> None:
    """Draw how long a bare all-reduce takes against its size, with the middle half of its replays.

    A colour is an NCCL variant. Without a time the axes say why they are empty.
    """
    axes.set(xlabel="message [KiB]", ylabel="bare all-reduce [µs]")
    if not nccl["times"]:
        _say_why_empty(axes, nccl)
        return
    axes.set_xscale("log", base=2)
    axes.grid(axis="y")
    for name, style in _styles(nccl).items():
        rows = [row for row in nccl["times"] if row["nccl"] == name]
        middle = [1e6 * row["allreduce_s"] for row in rows]
        reach = [
            [1e6 * (row["allreduce_s"] - row["allreduce_low_s"]) for row in rows],
            [1e6 * (row["allreduce_high_s"] - row["allreduce_s"]) for row in rows],
        ]
        if rows:
            axes.errorbar(
                [row["bytes"] / 1024 for row in rows], middle, reach, label=name, capsize=2, **style
            )
    axes.set_ylim(bottom=0)


def _styles(nccl: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return a colour and a marker for each NCCL variant, the same in each figure."""
    return {
        name: {
            "color": SERIES_COLOURS[number % len(SERIES_COLOURS)],
            "marker": SERIES_MARKERS[number % len(SERIES_MARKERS)],
        }
        for number, name in enumerate(nccl["variants"])
    }


def _say_why_empty(axes: Axes, nccl: dict[str, Any]) -> None:
    why = "; ".join(variant_lines(nccl)[:1]) or "no NCCL variant was probed"
    text = fill(f"nothing to draw: {why}", _LETTERS)
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", fontsize=SMALL_PT)
    axes.set(xticks=[], yticks=[])
