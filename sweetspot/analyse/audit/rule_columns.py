"""Rules about a column that follows from others: what nearly all of its figures are, one must be too. Pure.

They need no names: a pattern that most rows show tells what a column means.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations

from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.matrix import Matrix
from sweetspot.analyse.audit.report import Finding

Case = tuple[str, Figure, Figure, Figure]  # where, what is stated, and its two operands
ENOUGH = 3  # figures that must follow, before another one can fail to
MOST = 0.75  # of all figures must
TIGHT = {"x": 0.003, "%": 0.1}  # beyond rounding, to follow
LOOSE = 0.03  # relative, to be let pass
LEAST = {"x": 1.0, "%": 20.0}  # that this is taken of
SPREAD = {"x": 0.1, "%": 2.0}  # between the least and the most, or anything follows
_RESULT = re.compile(
    r"speed ?-?up|increase|decrease|improve|gain|δ|delta|change|reduc|diff|ratio|factor|uplift|boost|overhead"
    r"|saving|\bvs\b|versus|relative|faster|slower|^[x×%]$|penalty|cost"
)
_DEFINITIONS: dict[str, tuple[Callable[[Interval, Interval], Interval], ...]] = {
    "x": (lambda a, b: a.over(b),),
    "%": (
        lambda a, b: _percent(a.over(b).low - 1, a.over(b).high - 1),
        lambda a, b: _percent(1 - a.over(b).high, 1 - a.over(b).low),
        lambda a, b: _percent(a.over(b).low, a.over(b).high),
    ),
}


def columns(facts: Facts) -> Iterator[Finding]:
    """What a column states must follow from the columns, or the row, that most of it follows from."""
    for upright in facts.matrices:
        for matrix in (upright, upright.turned):
            for index, name in enumerate(matrix.names):
                stated = matrix.column(index)
                kind = _kind(name, stated)
                if kind:
                    pairs = list(_of_two_columns(matrix, index))
                    yield from _best(kind, [*pairs, *_of_a_row(matrix, index)], alone=len(pairs) == 2)


def brackets(facts: Facts) -> Iterator[Finding]:
    """Factors and percentages in brackets must follow from the column or the row that most follow from."""
    for upright in facts.matrices:
        for matrix in (upright, upright.turned):
            for kind in ("x", "%"):
                cells = [
                    (i, j, beside, figure)
                    for i, row in enumerate(matrix.figures)
                    for j, figure in enumerate(row)
                    for beside in matrix.beside[i][j]
                    if figure is not None and _unit(beside) == kind
                ]
                if len(cells) > ENOUGH:
                    yield from _best(kind, _of_a_column(matrix, cells))


def _of_two_columns(matrix: Matrix, result: int) -> Iterator[list[Case]]:
    """Yield the cases for each pair of other columns."""
    others = [j for j in range(len(matrix.names)) if j != result and not _RESULT.search(matrix.names[j])]
    for a, b in permutations(others, 2):
        yield [
            (label, row[result], row[a], row[b])  # type: ignore[misc]
            for label, row in zip(matrix.labels, matrix.figures, strict=True)
            if row[result] is not None and row[a] is not None and row[b] is not None
        ]


def _of_a_row(matrix: Matrix, result: int) -> Iterator[list[Case]]:
    """Yield the cases for each other column and each row that the rest may be compared with."""
    for j in range(len(matrix.names)):
        for base, row in enumerate(matrix.figures):
            reference = row[j]
            if j == result or reference is None or _RESULT.search(matrix.names[j]):
                continue
            cases: list[Case] = []
            for i, other in enumerate(matrix.figures):
                stated, own = other[result], other[j]
                if i != base and stated is not None and own is not None:
                    cases += [(matrix.labels[i], stated, own, reference)]
            yield cases
            yield [(label, stated, base_figure, own) for label, stated, own, base_figure in cases]


def _of_a_column(matrix: Matrix, cells: Sequence[tuple[int, int, Figure, Figure]]) -> Iterator[list[Case]]:
    """Yield the cases for each column that figures with brackets may be compared with, row by row."""
    for base in range(len(matrix.names)):
        cases = [
            (matrix.labels[i], beside, own, reference)
            for i, j, beside, own in cells
            if j != base and (reference := matrix.figures[i][base]) is not None
        ]
        yield cases
        yield [(label, beside, reference, own) for label, beside, own, reference in cases]


def _best(kind: str, found: Iterable[list[Case]], alone: bool = False) -> Iterator[Finding]:
    """Yield the cases that break the pattern that most cases follow.

    Args:
        kind: x for factors, % for percentages.
        found: The cases for each choice of operands.
        alone: There is one pair of columns that it may be of: fewer cases prove it then.
    """
    best: tuple[int, list[Case], list[bool]] | None = None
    enough = 2 if alone else ENOUGH
    for cases in found:
        cases = [case for case in cases if _are_operands(*case[2:], alone)]
        if len(cases) <= enough:
            continue
        for definition in _DEFINITIONS[kind]:
            fits = [_follows(kind, stated, definition(_printed(a), _printed(b))) for _, stated, a, b in cases]
            told = [stated.low for (_, stated, _, _), fit in zip(cases, fits, strict=True) if fit]
            proved = sum(fits) >= max(enough, MOST * len(fits) - alone) and len(set(told)) >= enough
            if proved and max(told) - min(told) > SPREAD[kind] and (best is None or sum(fits) > best[0]):
                wide = [
                    _may_be(kind, stated, definition(a.interval, b.interval)) for _, stated, a, b in cases
                ]
                best = sum(fits), cases, wide
    for case, fit in zip(best[1], best[2], strict=True) if best else ():
        if not fit:
            yield _finding(kind, case, best[0] if best else 0)


def _are_operands(a: Figure, b: Figure, alone: bool) -> bool:
    """Return whether others may be computed from two figures; from factors only if there are no others."""
    units = {_unit(a), _unit(b)}
    whole = a.low > 0 and b.low > 0 and not a.is_range and not b.is_range
    return whole and (units == {""} or (alone and len(units) == 1))


def _printed(figure: Figure) -> Interval:
    """Return what a figure may stand for by its digits alone."""
    return Interval(figure.low - figure.step / 2, figure.low + figure.step / 2)


def _follows(kind: str, stated: Figure, computed: Interval) -> bool:
    """Return whether a stated figure is the computed one, cut or rounded."""
    return _near(kind, stated, computed, stated.step + TIGHT[kind])


def _may_be(kind: str, stated: Figure, computed: Interval) -> bool:
    """Return whether a stated figure may be the computed one, if the operands are means with a spread."""
    return _near(
        kind, stated, computed, stated.step + stated.spread + LOOSE * max(LEAST[kind], abs(stated.low))
    )


def _near(kind: str, stated: Figure, computed: Interval, slack: float) -> bool:
    """Return whether the two are as near as this; a reduction may be stated with or without its sign."""
    spans = [stated.low] if kind == "x" else [stated.low, abs(stated.low)]
    return any(Interval(value - slack, value + slack).meets(computed) for value in spans)


def _finding(kind: str, case: Case, followed: int) -> Finding:
    """Return the finding on one case."""
    label, stated, a, b = case
    ratio = a.low / b.low
    shown = [figure.text.partition("(")[0].strip() for figure in (a, b)]
    return Finding(
        "contradiction",
        "speedup" if kind == "x" else "change",
        stated.place,
        label,
        f"{stated.text}, but {shown[0]} over {shown[1]} is {ratio:.3g}x ({ratio - 1:+.1%}); "
        f"{followed} figures beside it follow from theirs",
        (stated.text, *shown),
        "edited by hand, or figures of another run",
    )


def _kind(name: str, stated: Sequence[Figure | None]) -> str:
    """Return what a column states: x for factors, % for percentages, nothing if neither."""
    known = [figure for figure in stated if figure is not None]
    units = {_unit(figure) for figure in known if figure.low}
    if len(known) <= ENOUGH or len(units) != 1:
        return ""
    unit = units.pop()
    if unit:
        return unit if unit == "x" or _RESULT.search(name) else ""
    return (
        "%"
        if "%" in name and _RESULT.search(name)
        else "x"
        if re.search(r"speed ?-?up|ratio|factor", name)
        else ""
    )


def _unit(figure: Figure) -> str:
    """Return x or % for a figure with such a unit."""
    return {"x": "x", "×": "x", "%": "%"}.get(figure.unit, "")


def _percent(low: float, high: float) -> Interval:
    """Return shares in percent."""
    return Interval(100 * low, 100 * high)
