"""Words and tables about NCCL: what proves each variant, and what bare all-reduces predict. Pure."""

from collections.abc import Callable, Sequence
from typing import Any

from sweetspot.render.rows import NOTHING, Row, rounded

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


def _ms(seconds: float | None) -> str:
    return NOTHING if seconds is None else rounded(1e3 * seconds).replace("-", "−")
