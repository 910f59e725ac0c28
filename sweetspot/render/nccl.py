"""Words, tables and figures about NCCL: what proves each variant, and what bare all-reduces predict. Pure."""

from collections.abc import Callable, Sequence
from textwrap import fill
from typing import Any

from matplotlib.axes import Axes

from sweetspot.render.rows import NOTHING, Row, rounded
from sweetspot.render.theme import COLOURS, SERIES_COLOURS, SERIES_MARKERS, SMALL_PT

_LETTERS = 60  # that fit side by side into a figure

Columns = dict[str, Callable[[Row], str]]  # heading, unit in brackets: text of a row's cell

PROOF: Columns = {
    "NCCL variant": lambda row: str(row["nccl"]),
    "draft tokens": lambda row: str(row["draft_tokens"]),
    "load": lambda row: str(row["load"]),
    "message [bytes]": lambda row: str(row["bytes"]),
    "NCCL chose": lambda row: f"{row['algorithm']} {row['protocol']}" if row["algorithm"] else NOTHING,
    "channels": lambda row: str(row["channels"] or NOTHING),
    "proof": lambda row: row["status"] + (f": {row['detail']}" if row["detail"] else ""),
}
PREDICTION: Columns = {
    "variant": lambda row: str(row["variant"]),
    "load": lambda row: str(row["load"]),
    "all-reduces a pass": lambda row: str(row["all_reduces"]),
    "bare all-reduce [µs]": lambda row: (
        f"{rounded(1e6 * row['allreduce_s'])} "
        f"[{rounded(1e6 * row['allreduce_low_s'])}, {rounded(1e6 * row['allreduce_high_s'])}]"
        if row["on_the_path"]
        else NOTHING
    ),
    "together [ms]": lambda row: _ms(row["predicted_s"] if row["on_the_path"] else None),
    "verify [ms]": lambda row: _ms(row["measured_s"]),
    "predicted difference [ms]": lambda row: _ms(row["predicted_difference_s"]),
    "measured difference [ms]": lambda row: _ms(row["measured_difference_s"]),
    "unexplained [ms]": lambda row: _ms(row["rest_s"]),
}
NOTE = (
    "An NCCL variant is seen if NCCL's own log names, for messages of verify size, an algorithm and a "
    "protocol that it allows. The brackets hold the middle half of the replays. A baseline's decode step "
    "stands for its verify."
)


def variant_lines(nccl: dict[str, Any]) -> list[str]:
    """Return a line on each NCCL variant: what is proven of it, and whether it is another by another name."""
    return [
        f"NCCL variant {name}: {found['status']}"
        + (f" ({found['detail']})" if found["detail"] else "")
        + (f", without effect: the same as {nccl['reference']}" if found["without_effect"] else "")
        for name, found in nccl["variants"].items()
    ]


def cells(rows: Sequence[Row], columns: Columns) -> list[list[str]]:
    """Return the text of each row's cells."""
    return [[text(row) for text in columns.values()] for row in rows]


def to_markdown(nccl: dict[str, Any]) -> str:
    """Return the tables for those who read Markdown; nothing where NCCL took no part."""
    parts = []
    for title, rows, columns in (
        ("what proves each variant", nccl["messages"], PROOF),
        (f"verify against {nccl['reference']}, predicted and measured", nccl["prediction"], PREDICTION),
    ):
        lines = [list(columns), ["---"] * len(columns), *cells(rows, columns)]
        if rows:
            parts += [f"\n## NCCL: {title}\n", *(f"| {' | '.join(line)} |" for line in lines)]
    return "".join(f"{part}\n" for part in parts)


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


def _ms(seconds: float | None) -> str:
    return NOTHING if seconds is None else rounded(1e3 * seconds).replace("-", "−")
