"""Words and tables about NCCL: what proves each variant, and what bare all-reduces predict. Pure."""

from collections.abc import Callable, Sequence
from typing import Any

from matplotlib.axes import Axes

from sweetspot.render.rows import NOTHING, Row, rounded
from sweetspot.render.theme import COLOURS, SERIES_COLOURS, SERIES_MARKERS, SMALL_PT

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
    ),
    "together [ms]": lambda row: _ms(row["predicted_s"]),
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
        why = "; ".join(variant_lines(nccl)[:1]) or "no NCCL variant was probed"
        axes.text(
            0.5, 0.5, f"nothing to compare\n{why}", ha="center", va="center", fontsize=SMALL_PT, wrap=True
        )
        axes.set(xticks=[], yticks=[])
        return
    for number, name in enumerate(dict.fromkeys(row["nccl"] for row in rows)):
        of_name = [row for row in rows if row["nccl"] == name]
        axes.plot(
            [1e3 * row["predicted_difference_s"] for row in of_name],
            [1e3 * row["measured_difference_s"] for row in of_name],
            linestyle="",
            label=name,
            color=SERIES_COLOURS[number % len(SERIES_COLOURS)],
            marker=SERIES_MARKERS[number % len(SERIES_MARKERS)],
        )
    axes.axline((0, 0), slope=1, color=COLOURS["muted"], linestyle="--", linewidth=1, label="as predicted")
    axes.axhline(0, color=COLOURS["grid"], linewidth=0.7, zorder=0)
    axes.axvline(0, color=COLOURS["grid"], linewidth=0.7, zorder=0)


def _ms(seconds: float | None) -> str:
    return NOTHING if seconds is None else rounded(1e3 * seconds).replace("-", "−")
