"""Rules about two columns whose product or quotient is one constant in nearly all rows. Pure.

Tokens a second x seconds for a fixed number of tokens, drafts a cycle / accept rate: it needs to be known
what the columns measure, not how many tokens or drafts there were.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations

from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.matrix import Matrix
from sweetspot.analyse.audit.names import understand
from sweetspot.analyse.audit.report import Finding

ENOUGH = 4  # rows that must agree
MOST = 0.75  # of all rows must
CLOSE = 0.004  # relative, beyond rounding
OFF = 0.04  # relative
SPREAD = 1.15  # between the least and the most, or everything is constant
_SPEEDS = {"tokens_per_s", "request_tokens_per_s", "all_tokens_per_s", "requests_per_s"}
_TIMES = {"duration_s", "latency_s", "tpot_s"}
_LOAD = re.compile(r"conc|batch|\bbs\b|users|streams|parallel|requests|clients|\bqps\b|request rate")


def _drafts(length: Interval) -> Interval:
    """Return accepted drafts for an accept length that includes the bonus token."""
    return Interval(max(length.low - 1, 1e-9), max(length.high - 1, 1e-9))


Way = tuple[str, Callable[[Interval, Interval], Interval]]
PRODUCT: tuple[Way, ...] = (("x", Interval.times),)
QUOTIENTS: tuple[Way, ...] = (
    ("/", Interval.over),
    ("less the bonus token, /", lambda length, rate: _drafts(length).over(rate)),
)


def constants(facts: Facts) -> Iterator[Finding]:
    """Where two columns are proportional, or inversely so, in nearly all rows, they are in all."""
    for upright in facts.matrices:
        for matrix in (upright, upright.turned):
            if not _one_load(matrix):
                continue
            metrics = [name.metric if (name := understand(text)) else "" for text in matrix.names]
            for a, b in permutations(range(len(metrics)), 2):
                product = metrics[a] in _SPEEDS and metrics[b] in _TIMES
                if product or (metrics[a], metrics[b]) == ("accept_length", "accept_rate"):
                    first, second = _usable(matrix, a), _usable(matrix, b)
                    ways = PRODUCT if product else QUOTIENTS
                    if first and second:
                        yield from _pair(matrix, (a, b), first, second, ways)


def _one_load(matrix: Matrix) -> bool:
    """Return whether no column says that the rows differ in load, which no constant outlives."""
    loads = [matrix.column(j) for j, name in enumerate(matrix.names) if _LOAD.search(name)]
    return all(len({figure.low for figure in load if figure is not None}) < 2 for load in loads)


def _usable(matrix: Matrix, index: int) -> list[Figure | None]:
    """Return the figures of a column of measurements; nothing of a column of settings, factors or shares."""
    figures = matrix.column(index)
    known = [figure for figure in figures if figure is not None]
    whole = sum(figure.step >= 1 for figure in known)
    if len(known) <= ENOUGH or whole > len(known) / 2 or any(figure.low <= 0 for figure in known):
        return []
    if max(figure.low for figure in known) < SPREAD * min(figure.low for figure in known):
        return []
    return figures


def _pair(
    matrix: Matrix,
    pair: tuple[int, int],
    first: Sequence[Figure | None],
    second: Sequence[Figure | None],
    ways: Sequence[Way],
) -> Iterator[Finding]:
    """Yield the rows of two columns that break what is constant in nearly all others."""
    names = [matrix.names[index] for index in pair]
    cases = [
        (label, a, b)
        for label, a, b in zip(matrix.labels, first, second, strict=True)
        if a is not None and b is not None
    ]
    for symbol, way in ways:
        values = [way(a.interval, b.interval) for _, a, b in cases]
        if len(values) <= ENOUGH or any(value.high - value.low > 0.1 * value.middle for value in values):
            continue
        middle = sorted(value.middle for value in values)[len(values) // 2]
        fits = [value.meets(Interval(middle, middle), CLOSE) for value in values]
        told = [a.low for (_, a, _), fit in zip(cases, fits, strict=True) if fit]
        if len(set(told)) < max(ENOUGH, MOST * len(fits)) or max(told) < SPREAD * min(told):
            continue
        for (label, a, b), value in zip(cases, values, strict=True):
            if not value.meets(Interval(middle, middle), OFF):
                yield Finding(
                    "contradiction",
                    "constant",
                    a.place,
                    f"{matrix.called}, {label}",
                    f"{names[0]} {a.text} {symbol} {names[1]} {b.text} is {value.middle:.4g}, "
                    f"and {middle:.4g} in {sum(fits)} rows beside it",
                    (a.text, b.text),
                    "one of the two was changed, or belongs to another run",
                )
        return
