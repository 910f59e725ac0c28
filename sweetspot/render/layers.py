"""Draws what hidden states of the wrong layers cost a draft, from the numbers that a real server gave.

python -m sweetspot.render.layers FILE.json FILE.svg
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sweetspot.render import theme
from sweetspot.render.figures import lay_out


def draw_layers(axes: Axes, rows: Sequence[Mapping[str, Any]]) -> None:
    """Draw the acceptance of each draft position, a line for each set of captured layers.

    Args:
        axes: What is drawn on.
        rows: `case`, `captured`, `accept_length` and `by_position` of each.
    """
    for number, row in enumerate(rows):
        captured = ", ".join(map(str, row["captured"]))
        axes.plot(
            range(1, 1 + len(row["by_position"])),
            row["by_position"],
            marker=theme.SERIES_MARKERS[number],
            color=theme.SERIES_COLOURS[number],
            label=f"{row['case']}: layers {captured}, accept_length {row['accept_length']:.2f}",
        )
    axes.set(xlabel="position in the draft [tokens]", ylabel="accepted [share of cycles]", ylim=(-0.03, 1))
    axes.set_xticks(range(1, 1 + len(rows[0]["by_position"])))
    axes.grid(axis="y")


def save_layers(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Save the figure of *rows* as SVG."""
    with rc_context(theme.rc()):
        figure = Figure(figsize=(theme.WIDTH_IN, 2.8))
        axes = figure.subplots()
        draw_layers(axes, rows)
        figure.legend(handles=axes.lines, loc="outside upper left", alignment="left")
        lay_out(figure)
        figure.savefig(path, metadata=theme.METADATA["svg"])


if __name__ == "__main__":
    save_layers(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
