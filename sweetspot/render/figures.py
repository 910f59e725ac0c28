"""Lays the figures out, one theme for all, and saves them as SVG and PNG.

The same rows give the same bytes.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from matplotlib import rc_context
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from sweetspot.render import by_steps, by_variant, theme
from sweetspot.render.nccl_axes import draw_allreduce, draw_nccl, say_why_empty
from sweetspot.render.rows import REPORTED_FIGURES, Row, is_reported, judged_rows, loads_of

_BARS = {  # what the bars of each figure are, or that it has none
    "speed": "Bars and band: 95 % interval over the rounds of this speed alone; one round has none.",
    "acceptance": "Counts over all cycles, without intervals.",
    "cycle": "Means over the rounds, without intervals.",
    "accept-length": "Counts over all cycles, break-even from means over the rounds, without intervals.",
    "allreduce": "Medians of the replays; bars: the middle half of them.",
    "nccl": "Means of each round's difference; one round has no interval. Predicted from medians.",
}


def save_all(
    summary: pl.DataFrame,
    verdict: dict[str, Any],
    out_dir: Path,
    nccl: dict[str, Any] | None = None,
    cautions: Sequence[str] = (),
) -> list[Path]:
    """Save every figure of a study as `<name>.svg` and `<name>.png`, and return the paths.

    Of reported figures there is no `acceptance`, `allreduce` or `nccl`; the others say what they are.

    Args:
        summary: One row a variant and load.
        verdict: The content of `verdict.json`; all figures but `speed` are of its load.
        out_dir: An existing folder.
        nccl: The content of `nccl.json`, None for reported figures.
        cautions: What stands below each figure and its bars' meaning, a line each: whoever sees one may see
            nothing else.
    """
    rows = judged_rows(summary, verdict)
    paths = []
    with rc_context(theme.rc()):
        for name, figure in _figures(rows, verdict["verdict_load"], nccl):
            _add_lines(figure, [*([] if is_reported(rows[0]) else [_BARS[name]]), *cautions])
            lay_out(figure)
            for kind, metadata in theme.METADATA.items():
                paths.append(out_dir / f"{name}.{kind}")
                figure.savefig(paths[-1], metadata=metadata)
    return paths


def lay_out(figure: Figure) -> None:
    """Give everything its place, once: all kinds of files are alike, and none is drawn twice to find out."""
    FigureCanvasSVG(figure)
    ConstrainedLayoutEngine().execute(figure)


def _figures(
    rows: Sequence[Row], verdict_load: int, nccl: dict[str, Any] | None
) -> Iterator[tuple[str, Figure]]:
    at_load = by_steps.by_speculation([row for row in rows if row["load"] == verdict_load])
    speculative = [row for row in at_load if row["num_steps"] > 0 and not row["control"]]
    yield "speed", _speed(rows)
    if not is_reported(rows[0]):
        yield "acceptance", _acceptance(speculative)
    yield "cycle", _by_variant(by_variant.draw_cycle, at_load)
    yield "accept-length", _by_variant(by_variant.draw_accept_length, speculative)
    if nccl is not None:
        yield "allreduce", _allreduce(nccl)
        yield "nccl", _nccl(nccl)


def _speed(rows: Sequence[Row]) -> Figure:
    """Draw a panel for each load, one below the other, so that a variant is at the same place in all."""
    loads = loads_of(rows)
    points, places = len(rows) / len(loads), len(by_steps.step_labels(rows))
    below_in = 1.1 if places >= by_steps.UPRIGHT_FROM else 0.6
    figure = Figure(figsize=(max(theme.WIDTH_IN, 0.15 * points), below_in + 1.9 * len(loads)))
    panels = figure.subplots(len(loads), sharex=True, squeeze=False)[:, 0]
    for axes, load in zip(panels, loads, strict=True):
        by_steps.draw_speed(axes, [row for row in rows if row["load"] == load])
        axes.label_outer()
    _add_legend(figure, by_steps.speed_legend(rows), _title(rows))
    return figure


def _acceptance(rows: Sequence[Row]) -> Figure:
    figure = Figure(figsize=(theme.WIDTH_IN, 2.6))
    axes = figure.subplots()
    by_steps.draw_acceptance(axes, rows)
    trees = any(row["eagle_topk"] > 1 for row in rows)
    _add_legend(figure, axes.lines, "num_steps" + trees * " (k: eagle_topk, d: num_draft_tokens)")
    return figure


def _allreduce(nccl: dict[str, Any]) -> Figure:
    figure = Figure(figsize=(theme.WIDTH_IN, 3))
    axes = figure.subplots()
    draw_allreduce(axes, nccl)
    _add_legend(figure, axes.get_legend_handles_labels()[0])
    return figure


def _nccl(nccl: dict[str, Any]) -> Figure:
    """Draw a panel for each load, side by side, so that a variant has the same row in all."""
    rows = [row for row in nccl["prediction"] if row["measured_difference_s"] is not None]
    loads, places = loads_of(rows), list(dict.fromkeys(row["variant"] for row in rows))
    panels = max(len(loads), 1)
    figure = Figure(figsize=(max(theme.WIDTH_IN, 1.4 + 1.6 * panels), 1.1 + 0.2 * (len(places) or 9)))
    for axes, load in zip(figure.subplots(ncols=panels, squeeze=False)[0], loads, strict=False):
        draw_nccl(axes, [row for row in rows if row["load"] == load], places, nccl["reference"])
        axes.label_outer()
    if not rows:
        say_why_empty(figure.axes[0], nccl)
    _add_legend(figure, figure.axes[0].get_legend_handles_labels()[0])
    return figure


def _by_variant(draw: Callable[[Axes, Sequence[Row]], None], rows: Sequence[Row]) -> Figure:
    figure = Figure(figsize=(theme.WIDTH_IN, 1 + 0.22 * len(rows)))
    axes = figure.subplots()
    draw(axes, rows)
    handles, labels = axes.get_legend_handles_labels()
    once = dict(zip(labels, handles, strict=True))
    _add_legend(
        figure, [once[label] for label in sorted(once, key=by_variant.BREAK_EVEN.__eq__)], _title(rows)
    )
    return figure


def _title(rows: Sequence[Row]) -> str | None:
    """Return what has to stand above a figure wherever it is shown."""
    return REPORTED_FIGURES if rows and is_reported(rows[0]) else None


def _add_lines(figure: Figure, lines: Sequence[str]) -> None:
    """Add *lines* below the axes, and the height that they take."""
    if lines:
        figure.set_figheight(figure.get_figheight() + 0.05 + 0.13 * len(lines))
        figure.supxlabel("\n".join(lines), x=0.01, ha="left", fontsize=theme.SMALL_PT)


def _add_legend(figure: Figure, handles: Sequence[Artist], title: str | None = None) -> None:
    """Add a legend above the axes, in as many columns as the width has room for, and its height."""
    lengths = [len(str(handle.get_label())) for handle in handles]
    for columns in range(min(5, len(lengths)), 0, -1):
        widest = [int(column.max()) for column in np.array_split(lengths, columns)]  # as matplotlib does
        if sum(0.5 + 0.065 * length for length in widest) < figure.get_figwidth():  # a handle, a letter [in]
            break
    if handles:
        figure.set_figheight(figure.get_figheight() + 0.16 * (-(-len(handles) // columns) - 1))
        figure.legend(handles=handles, loc="outside upper left", ncols=columns, title=title, alignment="left")
