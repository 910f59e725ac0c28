"""The rows that table, figures and report share: the summary with its verdicts, and how a number is written.

Pure. A number that could not be measured is None.
"""

from collections.abc import Sequence
from math import floor, log10
from typing import Any

import polars as pl

from sweetspot.analyse.faults import REPORTED

Row = dict[str, Any]  # a row of the summary, with `verdict`, `reasons` and `winner`

PHASES = ("draft", "verify", "extend", "decode", "other")  # columns `draft_s` and so on, where timed
NOTHING = "–"
REPORTED_FIGURES = "reported figures: no raw records, no intervals"


def judged_rows(summary: pl.DataFrame, verdict: dict[str, Any]) -> list[Row]:
    """Return the rows of *summary* with what *verdict* says of each, a baseline ahead of its own.

    Args:
        summary: One row a variant and load.
        verdict: The content of `verdict.json`.
    """
    judgements = {(row["variant"], row["load"]): row for row in verdict["rows"]}
    winner = (verdict["winner"], verdict["verdict_load"])
    rows = []
    for row in summary.to_dicts():
        key = (row["variant"], row["load"])
        judgement = judgements[key]
        row |= {"verdict": judgement["verdict"], "reasons": judgement["reasons"], "winner": key == winner}
        rows.append(row)
    baselines = list(dict.fromkeys(row["baseline"] for row in rows))
    return sorted(rows, key=lambda row: (baselines.index(row["baseline"]), row["variant"] != row["baseline"]))


def phases(row: Row) -> list[tuple[str, float]]:
    """Return the phases of a cycle and their seconds: one, `cycle`, where the engine tells no more."""
    told = [(phase, row[f"{phase}_s"]) for phase in PHASES if row.get(f"{phase}_s") is not None]
    return told or [("cycle", row["cycle_s"])]


def why_missing(row: Row) -> str:
    """Return why *row* lacks a number: the kind of failure, or that nothing was measured, or stated."""
    return row["failure"] or ("not stated" if is_reported(row) else "not measured")


def is_reported(row: Row) -> bool:
    """Return whether *row* repeats what somebody stated, without records and intervals."""
    return bool(row["verdict"] == REPORTED)


def loads_of(rows: Sequence[Row]) -> list[int]:
    """Return the loads in *rows*, rising, in requests in flight."""
    return sorted({row["load"] for row in rows})


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
    decimals = max(decimals, 1 - _magnitude(value))  # two digits of the value, however wide the interval
    while apart_from is not None and any(
        end != apart_from and round(end, decimals) == apart_from for end in (low, high)
    ):
        decimals += 1
    return "{} [{}, {}]".format(*(_to_decimals(number, decimals) for number in (value, low, high)))


def _magnitude(value: float) -> int:
    return floor(log10(abs(value))) if value else 0


def _to_decimals(value: float, decimals: int) -> str:
    return f"{round(value, decimals):.{max(decimals, 0)}f}"
