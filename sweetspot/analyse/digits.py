"""Writes a number with the digits that its interval supports, the same wherever it is told. Pure."""

from math import floor, log10
from typing import Any

Row = dict[str, Any]

NOTHING = "–"


def speed_text(row: Row) -> str:
    """Return the decode speed of *row* with its interval, in tok/s."""
    return _interval(row, "decode_tokens_per_s")


def speedup_text(row: Row) -> str:
    """Return the speedup of *row* with its interval: 1 for what the others are compared with."""
    is_baseline = row["variant"] == row["baseline"] and row["speedup"] is not None
    return "1" if is_baseline else _interval(row, "speedup", apart_from=1)


def rounded(value: float | None, digits: int = 3) -> str:
    """Return *value* to so many significant digits, without an exponent."""
    if value is None:
        return NOTHING
    return _to_decimals(value, digits - 1 - _magnitude(value))


def with_interval(
    value: float | None, low: float | None, high: float | None, apart_from: float | None = None
) -> str:
    """Return *value* and its interval in brackets, to the digits that the interval supports.

    The last digit written is the first of half the interval's width, or the second where the first is a 1;
    or a later one, so that an end that is not *apart_from* is not written as if it were.
    """
    if value is None:
        return NOTHING
    if low is None or high is None:
        return f"{rounded(value)} [{NOTHING}]"
    half_width = (high - low) / 2
    if half_width == 0:
        return f"{rounded(value)} [{rounded(low)}, {rounded(high)}]"
    decimals = -_magnitude(half_width)
    if half_width * 10**decimals < 2:
        decimals += 1
    largest = max(map(abs, (value, low, high)))
    decimals = max(decimals, 1 - _magnitude(largest))  # two digits of it, however wide the interval
    while apart_from is not None and any(
        end != apart_from and round(end, decimals) == apart_from for end in (low, high)
    ):
        decimals += 1
    return "{} [{}, {}]".format(*(_to_decimals(number, decimals) for number in (value, low, high)))


def _interval(row: Row, name: str, apart_from: float | None = None) -> str:
    return with_interval(row[name], row[f"{name}_low"], row[f"{name}_high"], apart_from)


def _magnitude(value: float) -> int:
    return floor(log10(abs(value))) if value else 0


def _to_decimals(value: float, decimals: int) -> str:
    return f"{round(value, decimals) + 0.0:.{max(decimals, 0)}f}"  # no -0.0
