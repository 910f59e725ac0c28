"""Draws on axes of step counts: decode speed, and acceptance by position. Neither reads nor saves.

A variant without a number stays in its place, as a gap that says why.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from sweetspot.analyse.digits import speedup_text
from sweetspot.render.rows import Row, is_reported, why_missing
from sweetspot.render.theme import COLOURS, SERIES_COLOURS, SERIES_MARKERS, SMALL_PT

UPRIGHT_FROM = 9  # so many places have room only for upright names
_HALF: dict[str, Any] = {"fillstyle": "bottom", "markerfacecoloralt": COLOURS["surface"]}
_HOLLOW: dict[str, Any] = {"markerfacecolor": COLOURS["surface"]}
_RING: dict[str, Any] = {"marker": "o", "markersize": 11, "color": COLOURS["ink"], "markerfacecolor": "none"}


def step_labels(rows: Sequence[Row]) -> list[str]:
    """Return the places of *rows* on an axis of step counts: few steps first, trees last."""
    in_order = sorted(
        rows,
        key=lambda row: (row["eagle_topk"] > 1, row["num_steps"], row["eagle_topk"], row["num_draft_tokens"]),
    )
    return list(dict.fromkeys(step_label(row) for row in in_order))


def by_speculation(rows: Sequence[Row]) -> list[Row]:
    """Return *rows* with what differs in its NCCL variant alone side by side."""
    places = step_labels(rows)
    return sorted(rows, key=lambda row: places.index(step_label(row)))


def step_label(row: Row) -> str:
    """Return `none`, `none-again`, `3`, `3 k4 d8` for a tree, or `s3-untimed` for a control."""
    if row["num_steps"] == 0 or row["control"]:
        return str(row["variant"]).partition(".")[0]
    tree = f" k{row['eagle_topk']} d{row['num_draft_tokens']}" if row["eagle_topk"] > 1 else ""
    return f"{row['num_steps']}{tree}"


def draw_speed(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw decode speed against step count at one load, with the band of the first baseline.

    A colour is an NCCL variant with its set of arguments. A point is half filled where it is a baseline, and
    hollow where its verdict is not clear or the number was only reported. The winner has a ring.
    """
    places, names = step_labels(rows), _series_names(rows)
    step = min(0.8 / len(names), 0.3)
    upright = len(places) >= UPRIGHT_FROM
    axes.set_xlim(-0.5, len(places) - 0.5)
    labels = places if upright else [place.replace("-", "-\n") for place in places]
    axes.set_xticks(range(len(places)), labels, rotation=90 if upright else 0)
    axes.grid(axis="y")
    axes.set(xlabel="num_steps [draft steps/cycle]")
    axes.set(ylabel=f"decode speed\nat load {rows[0]['load']} [tok/s]")
    _draw_baseline(axes, next(row for row in rows if row["variant"] == row["baseline"]))
    for number, name in enumerate(names):
        offset = (number - (len(names) - 1) / 2) * step
        points = [(places.index(step_label(row)) + offset, row) for row in rows if _series_name(row) == name]
        points.sort(key=lambda point: point[0])
        _draw_series(axes, points, step, _series_style(number))


def speed_legend(rows: Sequence[Row]) -> list[Artist]:
    """Return what the marks of `draw_speed` mean, the series first where there are several."""
    names = _series_names(rows)
    legend: list[Artist] = []
    if len(names) > 1:
        legend += [Line2D([], [], label=name, **_series_style(number)) for number, name in enumerate(names)]
    dot: dict[str, Any] = {"marker": "o", "color": COLOURS["muted"]}
    hollow = "reported" if is_reported(rows[0]) else "not ranked or unclear"
    if not is_reported(rows[0]):
        legend.append(Line2D([], [], label="clearly faster or slower", linestyle="", **dot))
    if any(_filling(row) == _HOLLOW for row in rows):
        legend.append(Line2D([], [], label=hollow, linestyle="", **_HOLLOW, **dot))
    legend.append(Line2D([], [], label="baseline", linestyle="--", **_HALF, **dot))
    for row in rows:
        if _has_ring(row):
            speedup, _, _ = speedup_text(row).partition(" ")
            legend.append(Line2D([], [], label=f"winner, {speedup}×", linestyle="", **_RING))
    if any(row["decode_tokens_per_s"] is None for row in rows):
        legend.append(Patch(label="no result", color=COLOURS["grid"]))
    return legend


def draw_acceptance(axes: Axes, rows: Sequence[Row]) -> None:
    """Draw the share of cycles that accepted each draft position, one line for each step count.

    A step count takes the first of its rows that tells. Where lines run together, the shorter lies on top.
    """
    longest = 1
    for number, place in enumerate(step_labels(rows)):
        of_place = [row for row in rows if step_label(row) == place]
        told = [row["acceptance_by_position"] for row in of_place if row["acceptance_by_position"]]
        shares = told[0] if told else []
        label = place if shares else f"{place}: {why_missing(of_place[0])}"
        positions = range(1, len(shares) + 1)
        axes.plot(positions, shares, label=label, zorder=3 - len(shares) / 100, **_series_style(number))
        longest = max(longest, len(shares))
    axes.set(xlabel="position in the draft [tokens]", ylabel="accepted [share of cycles]")
    axes.set(xlim=(0.8, longest + 0.2), ylim=(0, 1.03), xticks=range(1, longest + 1))
    axes.grid(axis="y")


def _series_names(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(_series_name(row) for row in rows))


def _series_name(row: Row) -> str:
    return str(row["nccl"]) if row["args_set"] is None else f"{row['nccl']}.{row['args_set']}"


def _series_style(number: int) -> dict[str, Any]:
    return {
        "color": SERIES_COLOURS[number % len(SERIES_COLOURS)],
        "marker": SERIES_MARKERS[number % len(SERIES_MARKERS)],
    }


def _filling(row: Row) -> dict[str, Any]:
    """Return how the mark of *row* is filled."""
    if row["variant"] == row["baseline"] and row["verdict"] != "broken":
        return _HALF
    return {} if row["verdict"] in ("faster", "slower") else _HOLLOW


def _has_ring(row: Row) -> bool:
    """Return whether *row* is a winner that speculates."""
    return bool(row["winner"] and row["num_steps"] > 0)


def _draw_series(
    axes: Axes, points: Sequence[tuple[float, Row]], width: float, style: dict[str, Any]
) -> None:
    speeds = [row["decode_tokens_per_s"] for _, row in points]
    for ((x, row), speed), ((next_x, next_row), next_speed) in pairwise(zip(points, speeds, strict=True)):
        # neither a baseline nor a control nor a tree
        chain = row["num_steps"] > 0 and next_row["eagle_topk"] == 1 and not next_row["control"]
        if chain and speed is not None and next_speed is not None:
            axes.plot([x, next_x], [speed, next_speed], color=style["color"], alpha=0.35)
    for (x, row), speed in zip(points, speeds, strict=True):
        if speed is None:
            _draw_gap(axes, x, width, row)
            continue
        low, high = row["decode_tokens_per_s_low"], row["decode_tokens_per_s_high"]
        reach = None if low is None else [[speed - low], [high - speed]]
        axes.errorbar(x, speed, reach, capsize=3, **_filling(row), **style)
        if _has_ring(row):
            axes.plot(x, speed, **_RING)


def _draw_gap(axes: Axes, x: float, width: float, row: Row) -> None:
    axes.axvspan(x - width / 2, x + width / 2, color=COLOURS["grid"], linewidth=0, zorder=1.5)
    upright: dict[str, Any] = {"rotation": 90, "ha": "center", "va": "bottom", "fontsize": SMALL_PT}
    axes.text(x, 0.03, why_missing(row), transform=axes.get_xaxis_transform(), **upright)


def _draw_baseline(axes: Axes, reference: Row) -> None:
    if reference["decode_tokens_per_s"] is None:
        return
    speed = float(reference["decode_tokens_per_s"])
    low, high = reference["decode_tokens_per_s_low"], reference["decode_tokens_per_s_high"]
    axes.axhline(speed, color=COLOURS["muted"], linestyle="--", linewidth=1, zorder=1)
    if low is not None:
        axes.axhspan(low, high, color=COLOURS["muted"], alpha=0.2, linewidth=0, zorder=1)
    ratio = axes.secondary_yaxis(
        "right", functions=(lambda y: np.asarray(y) / speed, lambda ratio: np.asarray(ratio) * speed)
    )
    ratio.set_ylabel(f"÷ {reference['variant']} [×]")
