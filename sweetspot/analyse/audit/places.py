"""Where something stands in a text. Pure."""

import re
from bisect import bisect_right
from functools import lru_cache
from typing import NamedTuple


class Place(NamedTuple):
    """Where something stands in the text: line and column from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


def place_of(text: str, offset: int) -> Place:
    """Return the line and column of an offset."""
    starts = _line_starts(text)
    line = bisect_right(starts, offset)
    return Place(line, offset - starts[line - 1] + 1)


def offset_of(text: str, place: Place) -> int:
    """Return the offset of a line and column."""
    return _line_starts(text)[place.line - 1] + place.column - 1


@lru_cache(maxsize=8)
def _line_starts(text: str) -> list[int]:
    """Return where each line of *text* begins."""
    return [0, *(match.end() for match in re.finditer("\n", text))]
