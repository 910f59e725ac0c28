"""Finds the tables of a text; those in Markdown, also flattened onto one line, and in boxes itself. Pure."""

import re
from collections.abc import Iterator, Sequence

from sweetspot.analyse.audit.columns import unbarred
from sweetspot.analyse.audit.grid import RULE, Cell, Table, blanked, blocks, fitted
from sweetspot.analyse.audit.markup import marked
from sweetspot.analyse.audit.places import Place

_BARS = str.maketrans("┃│║┆┊", "|||||")
_INLINE = re.compile(r"(?:\|\s*:?-{2,}:?\s*){2,}\|")


def find_tables(text: str) -> tuple[list[Table], str]:
    """Return the tables of *text* in order, and the text with spaces where they stand."""
    in_markup = list(marked(text))
    text = blanked(text, [span for _, span in in_markup])
    lines = text.translate(_BARS).split("\n")
    taken: set[int] = set()
    found = [*_flattened(lines, taken), *_barred(lines, taken), *unbarred(lines, taken)]
    prose = _without(text.split("\n"), found)
    found += [table for table, _ in in_markup]
    found.sort(key=lambda table: (table.lines.start, table.columns or (0, 0)))
    return [
        Table(number, table.header, table.body, table.lines, table.columns)
        for number, table in enumerate(found, start=1)
    ], prose


def _without(lines: list[str], tables: Sequence[Table]) -> str:
    """Return the text with spaces where a table stands, so that places stay what they are."""
    for table in tables:
        for index in table.lines:
            start, end = table.columns or (0, len(lines[index]))
            lines[index] = lines[index][:start] + " " * (end - start) + lines[index][end:]
    return "\n".join(lines)


def _cells(line: str, index: int, start: int = 0) -> list[Cell]:
    """Return the cells between the bars of *line*, from offset *start*."""
    cells, offset = [], start
    for part in line[start:].split("|"):
        stripped = part.strip()
        lead = len(part) - len(part.lstrip()) if stripped else 0
        cells.append(Cell(stripped, Place(index + 1, offset + lead + 1)))
        offset += len(part) + 1
    return cells


def _flattened(lines: Sequence[str], taken: set[int]) -> Iterator[Table]:
    """Yield tables whose rows all stand in one line."""
    for index, line in enumerate(lines):
        if RULE.match(line):
            continue
        for match in _INLINE.finditer(line):
            width = match.group().count("|") - 1
            head = _cells(line[: match.start()], index)
            while head and not head[-1].text:
                head.pop()
            rest = _cells(line, index, match.end())
            body, at = [], 0
            while at + width < len(rest) and not rest[at].text:
                row = rest[at + 1 : at + 1 + width]
                if len(row) < width:
                    break
                body.append(row)
                at += 1 + width
            if len(head) < width or not body:
                continue
            header = head[-width:]
            if len(head) == width and not line.lstrip().startswith("|"):
                header[0] = Cell("", header[0].place)
            end = body[-1][-1].place.column + len(body[-1][-1].text) + 1
            taken.add(index)
            columns = (header[0].place.column - 1, min(end, len(line)))
            yield Table(0, header, body, range(index, index + 1), columns)


def _barred(lines: Sequence[str], taken: set[int]) -> Iterator[Table]:
    """Yield tables with bars between the cells, one row a line."""
    for start, end in blocks(lines, taken, lambda line: "|" in line or bool(RULE.match(line))):
        rows = []
        for index in range(start, end):
            if not RULE.match(lines[index]):
                cells = _cells(lines[index], index)
                edges = lines[index].strip()
                rows.append(cells[edges.startswith("|") : len(cells) - edges.endswith("|")])
        if len(rows) < 2 or len(rows[0]) < 2:
            continue
        taken.update(range(start, end))
        yield Table(0, rows[0], [fitted(row, len(rows[0])) for row in rows[1:]], range(start, end))
