"""Rules about a column that follows from others: what nearly all of its figures are, one must be too. Pure.

They need no names: a pattern that most rows show tells what a column means.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import permutations

from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Figure
from sweetspot.analyse.audit.matrix import Matrix
from sweetspot.analyse.audit.pattern import ENOUGH, Case, breaking, kind_of
from sweetspot.analyse.audit.report import Finding

_RESULT = re.compile(
    r"speed ?-?up|increase|decrease|improve|gain|δ|delta|change|reduc|diff|ratio|factor|uplift|boost|overhead"
    r"|saving|\bvs\b|versus|relative|faster|slower|^[x×%]$|penalty|cost"
)


def columns(facts: Facts) -> Iterator[Finding]:
    """What a column states must follow from the columns, or the row, that most of it follows from."""
    for upright in facts.matrices:
        for matrix in (upright, upright.turned):
            for index, name in enumerate(matrix.names):
                stated = matrix.column(index)
                kind = _kind(name, stated)
                if kind:
                    pairs = list(_of_two_columns(matrix, index))
                    yield from breaking(kind, [*pairs, *_of_a_row(matrix, index)], alone=len(pairs) == 2)


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
                    if figure is not None and kind_of(beside) == kind
                ]
                if len(cells) > ENOUGH:
                    yield from breaking(kind, _of_a_column(matrix, cells))


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


def _kind(name: str, stated: Sequence[Figure | None]) -> str:
    """Return what a column states: x for factors, % for percentages, nothing if neither."""
    known = [figure for figure in stated if figure is not None]
    units = {kind_of(figure) for figure in known if figure.low}
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
