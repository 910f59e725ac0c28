"""Words and tables about NCCL: what proves each variant, and what bare all-reduces predict. Pure."""

from collections.abc import Callable, Sequence
from typing import Any

from sweetspot.analyse.digits import NOTHING, rounded, with_interval
from sweetspot.render.rows import Row

Columns = dict[str, Callable[[Row], str]]  # heading, unit in brackets: text of a row's cell

PROOF: Columns = {
    "NCCL variant": lambda row: str(row["nccl"]),
    "messages [KiB]": lambda row: ", ".join(f"{size / 1024:.4g}" for size in row["sizes"]),
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
    "measured difference [ms]": lambda row: _with_interval_ms(row),
    "unexplained [ms]": lambda row: _ms(row["rest_s"]),
}
NOTE = (
    "An NCCL variant is seen if NCCL's own log names, for messages of verify size, an algorithm and a "
    "protocol that it allows. Brackets hold the middle half of the replays of a bare all-reduce, and the "
    "95 % interval of a measured difference over the rounds, by itself. A baseline's decode step stands for "
    "its verify."
)


def variant_lines(nccl: dict[str, Any]) -> list[str]:
    """Return a line on each NCCL variant: what is proven of it, and whether it is another by another name."""
    lines = []
    for name, found in nccl["variants"].items():
        ways = [way for way in proofs(nccl) if way["nccl"] == name and way["algorithm"]]
        chosen = ", ".join(dict.fromkeys(f"{way['algorithm']} {way['protocol']}" for way in ways))
        told = found["detail"] or chosen
        same = f", without effect: the same as {nccl['reference']}" if found["without_effect"] else ""
        lines.append(f"NCCL variant {name}: {found['status']}{f' ({told})' if told else ''}{same}")
    return lines


def proofs(nccl: dict[str, Any]) -> list[Row]:
    """Return a row for each way in which NCCL served a variant, and the `sizes` of those messages."""
    ways: dict[tuple[Any, ...], Row] = {}
    order = list(nccl["variants"])
    for row in sorted(nccl["messages"], key=lambda row: (order.index(row["nccl"]), row["bytes"])):
        way = {name: row[name] for name in ("nccl", "algorithm", "protocol", "channels", "status", "detail")}
        ways.setdefault(tuple(way.values()), way | {"sizes": []})["sizes"].append(row["bytes"])
    return [way | {"sizes": sorted(set(way["sizes"]))} for way in ways.values()]


def cells(rows: Sequence[Row], columns: Columns) -> list[list[str]]:
    """Return the text of each row's cells."""
    return [[text(row) for text in columns.values()] for row in rows]


def to_markdown(nccl: dict[str, Any]) -> str:
    """Return the tables for those who read Markdown; nothing where NCCL took no part."""
    parts = []
    for title, rows, columns in (
        ("what proves each variant", proofs(nccl), PROOF),
        (f"verify against {nccl['reference']}, predicted and measured", nccl["prediction"], PREDICTION),
    ):
        lines = [list(columns), ["---"] * len(columns), *cells(rows, columns)]
        if rows:
            parts += [f"\n## NCCL: {title}\n", *(f"| {' | '.join(line)} |" for line in lines)]
    return "".join(f"{part}\n" for part in parts)


def _with_interval_ms(row: Row) -> str:
    middle, low, high = (row[f"measured_difference_{end}s"] for end in ("", "low_", "high_"))
    if low is None:
        return _ms(middle)
    return with_interval(1e3 * middle, 1e3 * low, 1e3 * high).replace("-", "−")


def _ms(seconds: float | None) -> str:
    return NOTHING if seconds is None else rounded(1e3 * seconds).replace("-", "−")
