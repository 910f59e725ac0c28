"""Finds tables without bars: CSV, TSV, columns aligned by blanks. Pure."""

import csv
import re
from collections.abc import Iterator, Sequence

from sweetspot.analyse.audit.grid import RULE, Cell, Table, blocks
from sweetspot.analyse.audit.names import understand
from sweetspot.analyse.audit.places import Place

MIN_UNDERSTOOD = 2  # names that must be known before lines without bars count as a table
LONGEST = 4000  # characters of a header without bars
LOOK_AHEAD = 6  # rows after which lines whose names are not known stop being tried
_GAP = re.compile(r"\t+| {2,}")
_HINT = re.compile(
    r"accept|acc|len|τ|tau|\bal\b|tok|tps|t/s|through|speed|tpot|itl|latenc|cycle|steps?|\biter|ms\b|draft|verif|spec"
    r"|batch|conc|bs\b|[\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]",
    re.IGNORECASE,
)


def unbarred(lines: Sequence[str], taken: set[int]) -> Iterator[Table]:
    """Yield tables in CSV, TSV or aligned columns whose names are known well enough to be one."""
    for start, end in blocks(lines, taken, lambda line: bool(line.strip())):
        at = start
        hints = [bool(_HINT.search(line[:LONGEST])) for line in lines[start:end]]
        while at < end - 1:
            if not any(hints[at - start : at - start + LOOK_AHEAD]):
                at += 1
                continue
            tried = (_separated(lines, at, end, way) for way in (",", ";", "\t", "gap", "word"))
            table = next(filter(None, tried), None) if len(lines[at]) < LONGEST else None
            if table is None:
                at += 1
                continue
            taken.update(table.lines)
            at = table.lines.stop
            yield table


def _separated(lines: Sequence[str], start: int, end: int, way: str) -> Table | None:
    """Return the table that begins at line *start* and separates its cells in this *way*, if there is one."""
    header = _split(lines[start], start, way)
    if len(header) < 2 or (way in ",;" and len(header) < 3):
        return None
    across = sum(understand(cell.text) is not None for cell in header)
    body, stop = [], start + 1
    for index in range(start + 1, end):
        if RULE.match(lines[index]):
            stop = index + 1
            continue
        row = _split(lines[index], index, way)
        if len(row) != len(header) or (way == "word" and not all(map(_has_digit, row[1:]))):
            break
        body.append(row)
        stop = index + 1
        if across < MIN_UNDERSTOOD and len(body) == LOOK_AHEAD and _known_down(body) < MIN_UNDERSTOOD:
            return None
    if not body or max(across, _known_down(body)) < MIN_UNDERSTOOD:
        return None
    return Table(0, header, body, range(start, stop))


def _known_down(body: Sequence[Sequence[Cell]]) -> int:
    """Return how many rows begin with a name that is known."""
    return sum(understand(row[0].text) is not None for row in body)


def _has_digit(cell: Cell) -> bool:
    """Return whether a cell may be a figure."""
    return any(character.isdigit() for character in cell.text)


def _split(line: str, index: int, way: str) -> list[Cell]:
    """Return the cells of a line without bars."""
    if way in {",", ";"}:
        parts = next(csv.reader([line], delimiter=way, skipinitialspace=True), [])
    elif way == "\t":
        parts = line.split("\t")
    else:
        parts = _GAP.split(line.strip()) if way == "gap" else line.split()
    cells, offset = [], 0
    for part in parts:
        at = line.find(part.strip(), offset)
        offset = max(at, offset)
        cells.append(Cell(part.strip(), Place(index + 1, offset + 1)))
        offset += len(part.strip())
    return cells
