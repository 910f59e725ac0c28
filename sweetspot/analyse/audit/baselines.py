"""What a row of a table may be compared with, and what it is over that. Pure."""

from collections.abc import Iterable, Iterator, Sequence

from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.names import TIMES, Name
from sweetspot.analyse.audit.rows import Measured, Row

LOOSE = 0.03  # relative; a mean of ratios is not the ratio of means
SPEEDS = ("tokens_per_s", "request_tokens_per_s", "requests_per_s", "all_tokens_per_s")
COMPARABLE = (
    *SPEEDS,
    *("tpot_s", "itl_s", "latency_s", "ttft_s", "duration_s", "cycle_s", "cycles_per_s", "accept_length"),
)
PACE = {*SPEEDS, "tpot_s", "latency_s", "duration_s"}  # one of which makes a row comparable at all

Ratios = tuple[list[Interval], list[tuple[Figure, Figure]]]


def ratios(row: Row, rows: Sequence[Row], name: Name) -> Ratios:
    """Return the row's figures over the baseline's, faster being more, and the figures compared.

    Args:
        row: The row that states a speedup or change.
        rows: All rows of its table.
        name: The name that it stands under; only what this is of is compared.
    """
    asked = name.metric
    own = [(metric, row.measured[metric]) for metric in COMPARABLE if metric in row.measured]
    own = [(metric, kept) for metric, items in own if (kept := [i for i in items if _is_of(name, i.name)])]
    inside = _collect((metric, items, row.measured.get(f"baseline_{metric}", [])) for metric, items in own)
    if inside[0]:
        return inside
    references = [other for other in rows if other is not row and _is_reference(other, name)]
    named = [other for other in references if other.baseline]
    speeds = [item for metric, items in own if metric == "tokens_per_s" for item in items]
    if not named and len(speeds) == 2 and speeds[0].batch == speeds[1].batch:
        left, right = speeds[0].figure, speeds[1].figure
        there, back = left.interval.over(right.interval), right.interval.over(left.interval)
        return [there, back], [(left, right)]
    if not references or not any(metric in PACE for metric, _ in own):
        return [], []
    compared = references if asked == "change" else _nearest(row, rows, named) or references
    return _collect(
        (metric, [mine], [theirs])
        for other in compared
        for metric, items in own
        for mine, theirs in _pairs(items, other.measured.get(metric, []))
    )


def _collect(triples: Iterable[tuple[str, Sequence[Measured], Sequence[Measured]]]) -> Ratios:
    """Return each figure over each that it is compared with; times the other way round."""
    found: list[Interval] = []
    shown: list[tuple[Figure, Figure]] = []
    for metric, mine, theirs in triples:
        for own in mine:
            for base in theirs:
                if own.figure.low <= 0 or base.figure.low <= 0:
                    continue
                slower = metric in TIMES
                top, bottom = (base, own) if slower else (own, base)
                found.append(top.figure.interval.over(bottom.figure.interval))
                if metric == "tokens_per_s" or not shown:
                    shown.append((own.figure, base.figure))
    return found, shown


def _is_of(name: Name, other: Name) -> bool:
    """Return whether a speedup or change under *name* may be one of the figures under *other*."""
    if name.of in {"", other.text}:
        return True
    return {
        "time": other.metric in TIMES,
        "speed": other.metric in {*SPEEDS, "cycles_per_s"},
        "accept": other.metric.startswith("accept"),
    }.get(name.of, False)


def _nearest(row: Row, rows: Sequence[Row], named: Sequence[Row]) -> list[Row]:
    """Return the baselines that a row may be compared with: that above it, if the table has one a group.

    A table has one a group if nearly all speedups fit the baseline above them.
    """
    if len(named) < 2:
        return list(named)
    same = [other for other in named if other.batch == row.batch] if row.batch is not None else []
    if len(same) == 1:
        return same
    fits, asked, above, own = 0, 0, None, None
    for other in rows:
        above = other if other.baseline else above
        own = above if other is row else own
        speed, stated = other.first("tokens_per_s"), other.first("speedup")
        base = above.first("tokens_per_s") if above else None
        if speed is None or stated is None or base is None or other.baseline or base.low <= 0:
            continue
        asked += 1
        fits += abs(speed.low / base.low / max(stated.low, 1e-9) - 1) < LOOSE
    return [own] if own is not None and fits >= 3 and fits >= asked - 2 else list(named)


def _pairs(own: Sequence[Measured], base: Sequence[Measured]) -> Iterator[tuple[Measured, Measured]]:
    """Yield figures of one column in two rows."""
    for mine in own:
        for theirs in base:
            if mine.name.text == theirs.name.text:
                yield mine, theirs


def _is_reference(row: Row, name: Name) -> bool:
    """Return whether others may be compared with this row: a baseline, or one without the asked figure."""
    stated = [item.figure for item in row.measured.get(name.metric, []) if item.name.text == name.text]
    if not stated:
        return row.baseline or name.metric == "change" or bool(name.of)
    return stated[0].low == (1 if name.metric == "speedup" else 0)
