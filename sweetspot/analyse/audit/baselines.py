"""What a row of a table may be compared with, and what it is over that. Pure."""

from collections.abc import Iterator, Sequence

from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.rows import Measured, Row

LOOSE = 0.03  # relative; a mean of ratios is not the ratio of means
COMPARABLE = (
    "tokens_per_s",
    "request_tokens_per_s",
    "tpot_s",
    "itl_s",
    "cycle_s",
    "cycles_per_s",
    "accept_length",
)


def ratios(row: Row, rows: Sequence[Row], asked: str) -> tuple[list[Interval], list[tuple[Figure, Figure]]]:
    """Return the row's figures over the baseline's, faster being more, and the speeds compared."""
    found, shown = [], []
    for base in row.measured.get("baseline_tokens_per_s", []):
        for own in row.measured.get("tokens_per_s", []):
            found.append(own.figure.interval.over(base.figure.interval))
            shown.append((own.figure, base.figure))
    speeds = row.measured.get("tokens_per_s", [])
    if found:
        return found, shown
    references = [other for other in rows if other is not row and _is_reference(other, asked)]
    named = [other for other in references if other.baseline]
    if not named and len(speeds) == 2 and speeds[0].batch == speeds[1].batch and asked in row.measured:
        left, right = speeds[0].figure, speeds[1].figure
        there, back = left.interval.over(right.interval), right.interval.over(left.interval)
        return [there, back], [(left, right)]
    if not references or not any(name in row.measured for name in COMPARABLE[:3]):
        return [], []
    compared = references if asked == "change" else _nearest(row, rows, named) or references
    for other in compared:
        for metric in COMPARABLE:
            slower = metric in {"tpot_s", "itl_s", "cycle_s"}
            for mine, theirs in _pairs(row.measured.get(metric, []), other.measured.get(metric, [])):
                ends = (theirs, mine) if slower else (mine, theirs)
                found.append(ends[0].interval.over(ends[1].interval))
                if metric == "tokens_per_s" or not shown:
                    shown.append((mine, theirs))
    return found, shown


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
        fits += abs(speed.low / base.low / stated.low - 1) < LOOSE
    return [own] if own is not None and fits >= 3 and fits >= asked - 2 else list(named)


def _pairs(own: Sequence[Measured], base: Sequence[Measured]) -> Iterator[tuple[Figure, Figure]]:
    """Yield figures of one column in two rows."""
    for mine in own:
        for theirs in base:
            if mine.name.text == theirs.name.text and mine.figure.low > 0 and theirs.figure.low > 0:
                yield mine.figure, theirs.figure


def _is_reference(row: Row, asked: str) -> bool:
    """Return whether others may be compared with this row: a baseline, or one without the asked figure."""
    stated = row.first(asked)
    if stated is None:
        return row.baseline or asked == "change"
    return stated.low == (1 if asked == "speedup" else 0)
