"""Finds tables in HTML and LaTeX. Pure."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from sweetspot.analyse.audit.grid import Cell, Table, fitted
from sweetspot.analyse.audit.places import Place, place_of

_HTML = re.compile(r"<table\b.+?(?:</table\s*>|(?=<table\b)|\Z)", re.IGNORECASE | re.DOTALL)
_TABULAR = re.compile(r"\\begin\{(tabular[x*]?|array|longtable)\}")
_COLUMNS = re.compile(r"\s*(?:\[[^\]]*\]|\{(?:[^{}]|\{[^{}]*\})*\})")  # of a tabular: {lccc}
_RULES = re.compile(
    r"\\(?:top|mid|bottom|h|specialr)(?:rule|line)\b(?:\[[^\]]*\])?|\\(?:cmidrule|cline)\s*(?:\([^)]*\))?\{[^}]*\}"
    r"|\\addlinespace(?:\[[^\]]*\])?|\\(?:row|cell)color\{[^}]*\}"
)
_SPANNING = re.compile(
    r"\\multi(?P<way>column|row)\s*\{(?P<n>\d+|\*)\}\s*\{[^}]*\}\s*\{(?P<text>(?:[^{}]|\{[^{}]*\})*)\}"
)
_COMMENT = re.compile(r"(?<!\\)%.*")
LARGEST = 60  # columns or rows that one cell may span


def marked(text: str) -> Iterator[tuple[Table, slice]]:
    """Yield each table in HTML or LaTeX, and where it stands."""
    for match in _HTML.finditer(text):
        reader = _Reader(place_of(text, match.start()))
        reader.feed(match.group())
        reader.close()
        yield from _made(text, match.start(), match.end(), reader.rows)
    for match in _TABULAR.finditer(text):
        end = text.find(f"\\end{{{match[1]}}}", match.end())
        if end < 0:
            break
        yield from _made(text, match.start(), end, list(_latex_rows(text, match.end(), end)))


def _made(text: str, start: int, end: int, rows: list[list[Cell]]) -> Iterator[tuple[Table, slice]]:
    """Yield the table of these rows, if they are enough to be one."""
    rows = [row for row in rows if any(cell.text for cell in row)]
    if len(rows) < 2 or max(map(len, rows)) < 2:
        return
    width = max(map(len, rows))
    lines = range(place_of(text, start).line - 1, place_of(text, end).line)
    yield (
        Table(0, fitted(rows[0], width), [fitted(row, width) for row in rows[1:]], lines),
        slice(start, end),
    )


class _Reader(HTMLParser):
    """Collects the cells of one table; a cell over several rows or columns stands in each of them."""

    def __init__(self, start: Place) -> None:
        super().__init__()
        self.rows: list[list[Cell]] = []
        self._start = start
        self._text: list[str] | None = None
        self._place = start
        self._spans = (1, 1)
        self._below: dict[int, tuple[Cell, int]] = {}  # column -> cell that reaches into the next rows

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a row or a cell."""
        if tag == "tr":
            self._end_cell()
            self.rows.append([])
        elif tag in {"td", "th"}:
            self._end_cell()
            line, column = self.getpos()
            self._place = Place(
                self._start.line + line - 1, column + (self._start.column if line == 1 else 1)
            )
            self._text, given = [], dict(attrs)
            self._spans = (_span(given.get("colspan")), _span(given.get("rowspan")))
        elif self._text is not None:
            self._text.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """End a row or a cell."""
        if tag in {"td", "th", "tr", "table"}:
            self._end_cell()
            if tag == "tr" and self.rows:
                self._reach_down()

    def handle_data(self, data: str) -> None:
        """Add to the cell."""
        if self._text is not None:
            self._text.append(data)

    def _end_cell(self) -> None:
        """Put the cell into the row, behind those that reach into it from above."""
        if self._text is None:
            return
        cell = Cell(" ".join("".join(self._text).split()), self._place)
        self._text = None
        self.rows = self.rows or [[]]
        self._reach_down()
        columns, rows = self._spans
        for _ in range(columns):
            if rows > 1:
                self._below[len(self.rows[-1])] = (cell, rows - 1)
            self.rows[-1].append(cell)

    def _reach_down(self) -> None:
        """Add the cells that reach into this row from above at the column that is next."""
        row = self.rows[-1]
        while len(row) in self._below:
            cell, left = self._below.pop(len(row))
            if left > 1:
                self._below[len(row)] = (cell, left - 1)
            row.append(cell)


def _span(given: str | None) -> int:
    """Return how many columns or rows a cell takes."""
    return min(max(int(given), 1), LARGEST) if given and given.strip().isdecimal() else 1


def _latex_rows(text: str, start: int, end: int) -> Iterator[list[Cell]]:
    """Yield the rows of a tabular."""
    body = _COMMENT.sub(lambda comment: " " * len(comment.group()), text[start:end])
    head = _COLUMNS.match(body)
    body = _RULES.sub(lambda rule: " " * len(rule.group()), body)
    offset = head.end() if head else 0
    for line in re.split(r"(\\\\(?:\[[^\]]*\])?)", body[offset:]):
        if not line.startswith("\\\\"):
            cells: list[Cell] = []
            at = offset
            for part in re.split(r"(?<!\\)&", line):
                lead = len(part) - len(part.lstrip())
                cell = Cell(_SPANNING.sub(r"\g<text>", part).strip(), place_of(text, start + at + lead))
                spanning = _SPANNING.search(part)
                wide = spanning and spanning["way"] == "column"
                cells += [cell] * (_span(spanning["n"]) if spanning and wide else 1)
                at += len(part) + 1
            yield cells
        offset += len(line)
