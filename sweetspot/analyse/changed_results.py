"""What came out differently in two studies, and which differences are larger than their intervals. Pure."""

from dataclasses import dataclass
from statistics import geometric_mean
from typing import Any

import polars as pl

from sweetspot.analyse.pooling import pooled_acceptance, round_medians
from sweetspot.analyse.speedup_columns import references
from sweetspot.analyse.statistics import Estimate
from sweetspot.analyse.study_files import StudyFiles
from sweetspot.analyse.welch import differs, ratio

Row = dict[str, Any]
NUMBERS = ("decode_tokens_per_s", "speedup", "accept_length", "cycle_s")  # columns of the summary
SPEEDS = ("decode_tokens_per_s", "speedup", "cycle_s")  # what an engine decides


@dataclass(frozen=True)
class ResultChange:
    """A number of one variant and load in both studies."""

    variant: str
    load: int
    name: str  # a column of the summary
    a: float | None
    b: float | None
    ratio: Estimate | None  # b over a; None where the two may not be compared
    larger: bool | None  # than its interval; None without one
    why: str  # there is no answer


@dataclass(frozen=True)
class VerdictChange:
    """A verdict that is not what it was."""

    variant: str
    load: int
    a: str
    b: str


def compared_results(a: StudyFiles, b: StudyFiles) -> list[ResultChange]:
    """Return each number of each variant and load that both studies have, in the first one's order."""
    rows_b = cells(b)
    return [
        _compare(a, b, row, rows_b[cell], name)
        for cell, row in cells(a).items()
        if cell in rows_b
        for name in NUMBERS
        if row["num_steps"] or name not in ("speedup", "accept_length")  # a baseline's are 1 by definition
    ]


def changed_verdicts(a: StudyFiles, b: StudyFiles) -> list[VerdictChange]:
    """Return the verdicts that differ, of the variants and loads that both studies have."""
    before, after = (
        {(row["variant"], row["load"]): row["verdict"] for row in study.verdict["rows"]} for study in (a, b)
    )
    return [
        VerdictChange(*cell, verdict, after[cell])
        for cell, verdict in before.items()
        if cell in after and after[cell] != verdict
    ]


def cells(study: StudyFiles) -> dict[tuple[str, int], Row]:
    """Return the rows of the summary by variant and load."""
    return {(row["variant"], row["load"]): row for row in study.summary.to_dicts()}


def not_comparable(a: StudyFiles, b: StudyFiles, name: str) -> str:
    """Return why a number of that name may not be compared between the studies; empty if it may."""
    protocols = [study.record["protocol"] for study in (a, b)]
    if protocols[0] != protocols[1]:
        return f"measured by protocols {protocols[0]} and {protocols[1]}"
    engines = [study.record["engine"]["name"] for study in (a, b)]
    if engines[0] != engines[1] and name in SPEEDS:
        return f"measured on engines {engines[0]} and {engines[1]}"
    return ""


def _compare(a: StudyFiles, b: StudyFiles, row_a: Row, row_b: Row, name: str) -> ResultChange:
    """Return what became of a number from one study to the other."""
    found, larger, why = None, None, not_comparable(a, b, name)
    if not why:
        rounds_a, rounds_b = by_round(a, row_a, name), by_round(b, row_b, name)
        if not rounds_a or not rounds_b:
            why = f"not measured in {a.name if not rounds_a else b.name}"
        else:
            found = ratio(rounds_a, rounds_b)
            larger = differs(found)
            why = "" if larger is not None else "one round, so no interval"
    return ResultChange(row_a["variant"], row_a["load"], name, row_a[name], row_b[name], found, larger, why)


def by_round(study: StudyFiles, row: Row, name: str) -> list[float]:
    """Return the number in *row*, which is of the study's summary, round by round."""
    if name == "speedup":
        return _speedups(study, row)
    passes = study.passes.filter(pl.col("variant") == row["variant"], pl.col("load") == row["load"])
    if name != "accept_length":
        return list(round_medians(passes, name).values())
    rounds = passes.partition_by("round", maintain_order=True)
    lengths = [pooled_acceptance(of_round, row)["accept_length"] for of_round in rounds]
    return [length for length in lengths if length is not None]


def _speedups(study: StudyFiles, row: Row) -> list[float]:
    """Return the speedup of *row* in each round that has all it is compared with."""
    rows = [other for other in study.summary.to_dicts() if other["load"] == row["load"]]
    arm = next(arm for arm, other in enumerate(rows) if other["variant"] == row["variant"])
    compared = [rows[arm], *(rows[reference] for reference in references(rows)[arm])]
    rounds = zip(*(other["decode_tokens_per_s_by_round"] or [] for other in compared), strict=False)
    return [speeds[0] / geometric_mean(speeds[1:]) for speeds in rounds if None not in speeds]
