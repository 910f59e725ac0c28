"""A table as figures alone, for rules that look for a pattern and need no names. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from sweetspot.analyse.audit.figures import Figure, asides, plain, read_cell
from sweetspot.analyse.audit.grid import Table, fitted
from sweetspot.analyse.audit.words import english

WIDEST = 24  # columns of a table in which patterns are looked for
LONGEST = 60  # rows


@dataclass(frozen=True)
class Matrix:
    """The figures of a table by row and column; None where a cell holds something else."""

    called: str
    names: Sequence[str]  # of the columns, in English and lower case
    labels: Sequence[str]  # of the rows
    figures: Sequence[Sequence[Figure | None]]
    beside: Sequence[Sequence[Sequence[Figure]]]  # in brackets behind the figure

    @property
    def turned(self) -> "Matrix":
        """The same with rows and columns exchanged."""
        return Matrix(
            self.called,
            self.labels,
            self.names,
            list(zip(*self.figures, strict=True)),
            list(zip(*self.beside, strict=True)),
        )

    def column(self, index: int) -> list[Figure | None]:
        """Return one column."""
        return [row[index] for row in self.figures]


def matrices(tables: Sequence[Table]) -> list[Matrix]:
    """Return each table that is small enough to look for patterns in."""
    return [
        _matrix(table) for table in tables if len(table.header) <= WIDEST and 1 <= len(table.body) <= LONGEST
    ]


def _matrix(table: Table) -> Matrix:
    """Return the figures of one table; lines of its heading below the first are rows without figures."""
    body = [fitted(row, len(table.header)) for row in table.body]
    names = [english(plain(cell.text).lower()) for cell in table.header]
    return Matrix(
        f"table {table.number}",
        names,
        [english(plain(row[0].text).lower()) for row in body],
        [[read_cell(cell.text, cell.place) for cell in row] for row in body],
        [[asides(cell.text, cell.place) for cell in row] for row in body],
    )
