"""Draws bare all-reduces, and the verify they predict against the measured one. Neither reads nor saves."""

import math
from collections.abc import Sequence
from itertools import pairwise
from textwrap import fill
from typing import Any

from matplotlib.axes import Axes

from sweetspot.render.nccl import variant_lines
from sweetspot.render.rows import Row
from sweetspot.render.theme import COLOURS, SERIES_COLOURS, SERIES_MARKERS, SMALL_PT

_LETTERS = 60  # that fit side by side into a figure


def draw_nccl(axes: Axes, rows: Sequence[Row], places: Sequence[str], reference: str) -> None:
    """Draw how much longer a verify takes than under *reference*: measured, and predicted.

    Args:
        axes: What is drawn on.
        rows: Of the prediction, at one load, all with a measured difference.
        places: The variants from top to bottom; a line parts those of different speculation.
        reference: The NCCL variant that the others are held against.
    """
    axes.set(xlabel=f"verify at load {rows[0]['load']}, more\nthan under {reference} [ms]")
    axes.set_yticks(range(len(places)), places)
    axes.set_ylim(len(places) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.axvline(0, color=COLOURS["muted"], linewidth=0.7, zorder=0)
    for y, (above, below) in enumerate(pairwise(places)):
        if above.partition(".")[0] != below.partition(".")[0]:
            axes.axhline(y + 0.5, color=COLOURS["grid"], linewidth=0.7)
    ys = [places.index(row["variant"]) for row in rows]
    predicted, measured = (
        [math.nan if row[name] is None else 1e3 * row[name] for row in rows]
        for name in ("predicted_difference_s", "measured_difference_s")
    )
    tick: dict[str, Any] = {"marker": "|", "markersize": 11, "markeredgewidth": 1.8, "linestyle": ""}
    axes.plot(predicted, ys, color=COLOURS["ink"], label="predicted by bare all-reduces", **tick)
    axes.plot(measured, ys, "o", color=COLOURS["blue"], label="measured")
    known = [
        (y, 1e3 * row["measured_difference_low_s"], 1e3 * row["measured_difference_high_s"])
        for y, row in zip(ys, rows, strict=True)
        if row["measured_difference_low_s"] is not None
    ]
    if known:
        axes.hlines(*zip(*known, strict=True), color=COLOURS["blue"], label="95 % interval")


def draw_allreduce(axes: Axes, nccl: dict[str, Any]) -> None:
    """Draw how long a bare all-reduce takes against its size, with the middle half of its replays.

    A colour is an NCCL variant. Without a time the axes say why they are empty.
    """
    axes.set(xlabel="message [KiB]", ylabel="bare all-reduce [µs]")
    if not nccl["times"]:
        say_why_empty(axes, nccl)
        return
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter("{x:g}")
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


def say_why_empty(axes: Axes, nccl: dict[str, Any]) -> None:
    """Write on *axes* why there is nothing to draw."""
    why = "; ".join(variant_lines(nccl)[:1]) or "no NCCL variant was probed"
    text = fill(f"nothing to draw: {why}", _LETTERS)
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", fontsize=SMALL_PT)
    axes.set(xticks=[], yticks=[])
