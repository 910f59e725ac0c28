"""Rules about two columns whose product or quotient is one constant in nearly all rows. Pure.

Tokens a second x seconds for a fixed number of tokens, drafts a cycle / accept rate: it needs to be known
what the columns measure, not how many tokens or drafts there were.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.matrix import Matrix
from sweetspot.analyse.audit.names import SPEEDS, TIMES, understand
from sweetspot.analyse.audit.report import Finding

ENOUGH = 4  # rows that must agree
MOST = 0.75  # of all rows must
CLOSE = 0.004  # relative, beyond rounding
OFF = 0.04  # relative
SPREAD = 1.15  # between the least and the most, or everything is constant
MEASURED = {*SPEEDS, *TIMES, "accept_length", "accept_rate", "requests_per_s", "all_tokens_per_s", "cycles"}
_LOAD = re.compile(r"conc|batch|\bbs\b|users|streams|parallel|requests|clients|\bqps\b|request rate")
_WAYS: tuple[tuple[str, Callable[[Interval, Interval], Interval]], ...] = (
    ("x", Interval.times),
    ("/", Interval.over),
)


def constants(facts: Facts) -> Iterator[Finding]:
    """Where two columns are proportional, or inversely so, in nearly all rows, they are in all."""
    for upright in facts.matrices:
        for matrix in (upright, upright.turned):
            if not _one_load(matrix):
                continue
            metrics = [name.metric if (name := understand(text)) else "" for text in matrix.names]
            known = [index for index, metric in enumerate(metrics) if metric in MEASURED]
            lists = {index: _usable(matrix, index) for index in known}
            for a, b in combinations(known, 2):
                if lists[a] and lists[b] and metrics[a] != metrics[b]:
                    yield from _pair(matrix, (a, b), lists[a], lists[b])


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
    matrix: Matrix, pair: tuple[int, int], first: Sequence[Figure | None], second: Sequence[Figure | None]
) -> Iterator[Finding]:
    """Yield the rows of two columns that break what is constant in nearly all others."""
    names = [matrix.names[index] for index in pair]
    cases = [
        (label, a, b)
        for label, a, b in zip(matrix.labels, first, second, strict=True)
        if a is not None and b is not None
    ]
    lengths = [bool((name := understand(names[at])) and name.metric == "accept_length") for at in (0, 1)]
    for symbol, way in _WAYS:
        for bonus in (0, 1) if any(lengths) and symbol == "/" else (0,):
            values = [
                way(_without(a, bonus and lengths[0]), _without(b, bonus and lengths[1])) for _, a, b in cases
            ]
            middle = sorted(value.middle for value in values)[len(values) // 2]
            fits = [value.meets(Interval(middle, middle), CLOSE) for value in values]
            tight = sum(value.high - value.low < 0.1 * middle for value in values) == len(values)
            if not tight or sum(fits) < max(ENOUGH, MOST * len(fits)):
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


def _without(figure: Figure, bonus: int | bool) -> Interval:
    """Return what a figure may stand for, less the bonus token."""
    return Interval(max(figure.interval.low - bonus, 1e-9), max(figure.interval.high - bonus, 1e-9))
