"""Turns figures that somebody published without records into the summary and the verdict of a study. Pure.

Nothing is added to what is stated but arithmetic on it, and the bonus token where the source counts
accept_length without. No number has an interval, so no row is faster or slower than another.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from sweetspot.analyse.digits import rounded
from sweetspot.analyse.faults import REPORTED, RESIDUAL_LIMIT
from sweetspot.analyse.reported_acceptance import reconcile
from sweetspot.analyse.summary_columns import SUMMARY
from sweetspot.measure.requests import FLAG, REAL, TEXT
from sweetspot.plan.speculation import BASELINE, chain

Row = dict[str, Any]

PHASES = ("draft", "verify", "extend", "other")
COLUMNS: dict[str, pl.DataType] = (
    SUMMARY
    | {f"{phase}_s": REAL for phase in PHASES}
    | {"reported": FLAG, "accept_length_stated": TEXT, "accept_length_how": TEXT}
)


def summarise_reported(reported: Mapping[str, Any]) -> pl.DataFrame:
    """Return a row for each of the reported ones, in their order; null is what nobody stated.

    Args:
        reported: As `sweetspot.analyse.reported_file.read` returns it.

    Returns:
        The columns of a summary, the phases of a cycle, `reported` (true), `accept_length_stated` (as the
        source prints it) and `accept_length_how` (how `accept_length` follows from it).
    """
    speeds = {row["variant"]: row["tokens_per_s"] for row in reported["rows"]}
    rows = [_row(row, speeds[row["baseline"]], reported["load"]) for row in reported["rows"]]
    return pl.DataFrame([{name: row.get(name) for name in COLUMNS} for row in rows], COLUMNS)


def judge_reported(frame: pl.DataFrame) -> Row:
    """Return the content of verdict.json for *frame*: no winner, and no verdict but `reported`.

    Args:
        frame: As `summarise_reported` returns it.
    """
    rows = frame.to_dicts()
    return {
        "verdict_load": rows[0]["load"],
        "winner": None,
        "use_baseline": False,
        "tied_with": [],
        "sentence": _sentence(rows),
        "detail": "",
        "warnings": [],
        "rows": [
            {"variant": row["variant"], "load": row["load"], "verdict": REPORTED, "reasons": _reasons(row)}
            for row in rows
        ],
    }


def _row(row: Mapping[str, Any], baseline_tokens_per_s: float, load: int) -> Row:
    """Return the columns that the figures of one row give."""
    num_steps, tokens_per_s = row["num_steps"], row["tokens_per_s"]
    speculation = chain(num_steps) if num_steps else BASELINE
    cycle_s = None if row["cycle_ms"] is None else row["cycle_ms"] / 1000
    found: Row = {
        "variant": row["variant"],
        "num_steps": num_steps,
        "eagle_topk": speculation.eagle_topk,
        "num_draft_tokens": speculation.num_draft_tokens,
        "nccl": row["variant"].partition(".")[2],
        "load": load,
        "control": False,
        "untimed": False,
        "baseline": row["baseline"],
        "status": REPORTED,
        "reported": True,
        "decode_tokens_per_s": tokens_per_s,
        "speedup": tokens_per_s / baseline_tokens_per_s,
        "cycle_s": cycle_s,
        **_phases(row["phases_ms"], row["cycle_ms"]),
    }
    implied = None if cycle_s is None else tokens_per_s / load * cycle_s
    if cycle_s is not None:
        found["break_even_accept_length"] = baseline_tokens_per_s / load * cycle_s
    if not num_steps:
        return found | {"accept_length": 1.0, "identity_residual": None if implied is None else implied - 1}
    length = reconcile(row["accept_length"], num_steps, implied)
    return found | {
        "accept_length": length.value,
        "accept_length_stated": length.stated,
        "accept_length_how": length.how,
        "identity_residual": length.residual,
    }


def _phases(stated_ms: Mapping[str, float], cycle_ms: float | None) -> Row:
    """Return the stated phases in seconds; where some are not, the rest of the cycle is `other`."""
    phases = {f"{phase}_s": milliseconds / 1000 for phase, milliseconds in stated_ms.items()}
    if stated_ms and cycle_ms is not None and "other" not in stated_ms:
        phases["other_s"] = max(cycle_ms - sum(stated_ms.values()), 0) / 1000
    return phases


def _sentence(rows: list[Row]) -> str:
    """Return what is stated, in plain words."""
    fastest = max(rows, key=lambda row: row["decode_tokens_per_s"])
    told = (
        f"Reported, not measured here: of {len(rows)} stated speeds {fastest['variant']} has the highest, "
        f"{fastest['decode_tokens_per_s']:.4g} tokens/s"
    )
    if fastest["variant"] != fastest["baseline"]:
        told += f", {rounded(fastest['speedup'])} times that of {fastest['baseline']}"
    return told + "; without raw records there is no interval, and so no winner."


def _reasons(row: Row) -> list[str]:
    """Return how the numbers of *row* follow from what is stated."""
    reasons = [] if row["accept_length_how"] is None else [row["accept_length_how"]]
    residual = row["identity_residual"]
    if residual is not None and abs(residual) > RESIDUAL_LIMIT:
        reasons.append(
            f"the stated figures contradict each other: speed x cycle time is {100 * residual:+.1f} % off"
        )
    if row["verify_s"] is not None and row["extend_s"] is None and row["cycle_s"] is not None:
        reasons.append(
            f"the extend phase is not stated, and is part of the {1000 * row['other_s']:.2f} ms of other"
        )
    if row["verify_s"] is not None and row["cycle_s"] is None:
        reasons.append(f"a verify of {1000 * row['verify_s']:.4g} ms is stated, the whole cycle is not")
    return reasons
