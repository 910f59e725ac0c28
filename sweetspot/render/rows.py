"""The rows that table, figures and report share: the summary with its verdicts. Pure.

A number that could not be measured is None.
"""

from collections.abc import Sequence
from typing import Any

import polars as pl

from sweetspot.analyse.faults import REPORTED

Row = dict[str, Any]  # a row of the summary, with `verdict`, `reasons` and `winner`

PHASES = ("draft", "verify", "extend", "decode", "other")  # columns `draft_s` and so on, where timed
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
