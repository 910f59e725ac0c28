"""What a table is, and which lines of a text may belong to one. Pure."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sweetspot.analyse.audit.places import Place

RULE = re.compile(r"^[\s|+:=\-━─═┏┓┗┛┡┩┣┫╇╈┳┻┼├┤┌┐└┘┬┴╪╞╡╋╂┠┨╔╗╚╝╠╣╦╩╬]+$")

_NOT_BREAK = re.compile(r"[^\n]")


@dataclass(frozen=True)
class Cell:
    """What stands in one cell."""

    text: str
    place: Place


@dataclass(frozen=True)
class Table:
    """A table; every row has as many cells as the header."""

    number: int  # from 1, in the order of the text
    header: list[Cell]
    body: list[list[Cell]]
    lines: range = field(default_factory=lambda: range(0))  # of the text, from 0
    columns: tuple[int, int] | None = None  # of the line, if the table shares it with prose


def blocks(
    lines: Sequence[str], taken: set[int], belongs: Callable[[str], bool]
) -> Iterator[tuple[int, int]]:
    """Yield the stretches of free lines that belong, as first line and the one after the last."""
    free = [index for index, line in enumerate(lines) if index not in taken and belongs(line)]
    if not free:
        return
    start = free[0]
    for before, after in pairwise([*free, len(lines) + 1]):
        if after != before + 1:
            yield start, before + 1
            start = after


def fitted(row: list[Cell], width: int) -> list[Cell]:
    """Return *row* with as many cells as the header."""
    filler = Cell("", row[-1].place) if row else Cell("", Place(1, 1))
    return (row + [filler] * width)[:width]


def blanked(text: str, spans: Iterable[slice]) -> str:
    """Return *text* with spaces in *spans*, so that places stay what they are."""
    kept, at = [], 0
    for span in sorted(spans, key=lambda span: int(span.start)):
        start = max(at, span.start)
        if span.stop <= start:
            continue
        kept += [text[at:start], _NOT_BREAK.sub(" ", text[start : span.stop])]
        at = span.stop
    return "".join([*kept, text[at:]])
