"""Adds to the summary how many times as fast each variant of a load is as its baseline. Pure."""

import math
from collections.abc import Sequence

from sweetspot.analyse.arms import Indices
from sweetspot.analyse.design import Design, Row
from sweetspot.analyse.speedups import family
from sweetspot.analyse.statistics import ends


def speedup_columns(rows: Sequence[Row]) -> list[Row]:
    """Return for each of *rows* its columns on speedup. The intervals depend on each other.

    Args:
        rows: Of the summary, all those of one load.

    Returns:
        `speedup`, `speedup_low`, `speedup_high` and `p_value_adjusted`; null what is not known.
    """
    columns: list[Row] = [
        dict.fromkeys(["speedup", "speedup_low", "speedup_high", "p_value_adjusted"]) for _ in rows
    ]
    for row, found in zip(rows, columns, strict=True):
        if row["variant"] == row["baseline"] and row["decode_tokens_per_s"] is not None:
            found["speedup"] = 1.0
    controls = [arm for arm, row in enumerate(rows) if row["control"]]
    compared = family(Design.of(rows), references(rows), controls)
    p_values = compared.p_values()
    for arm, half_width in compared.half_widths().items():
        centre, half = float(compared.differences[arm].centre[0]), float(half_width[0])
        columns[arm]["speedup"] = math.exp(centre)
        if not math.isnan(half):
            low, high = ends(math.exp(centre), half)
            columns[arm] |= {"speedup_low": low, "speedup_high": high}
            columns[arm]["p_value_adjusted"] = float(p_values[arm])
    return columns


def references(rows: Sequence[Row]) -> dict[int, Indices]:
    """Return the arms that each is compared with: its baseline, with the controls that repeat it.

    A control is itself compared with the baseline alone.

    Args:
        rows: Of the summary, all those of one load, an arm a row.
    """
    arms = {row["variant"]: arm for arm, row in enumerate(rows)}
    measured = {arms[row["baseline"]]: repeats(rows, arms[row["baseline"]]) for row in rows}
    return {
        arm: (arms[row["baseline"]],) if row["control"] else measured[arms[row["baseline"]]]
        for arm, row in enumerate(rows)
        if row["variant"] != row["baseline"]
    }


def repeats(rows: Sequence[Row], baseline: int) -> Indices:
    """Return the arm *baseline* and the controls that repeat it in all its rounds."""
    again = (
        arm
        for arm, row in enumerate(rows)
        if row["control"]
        and not row["untimed"]
        and row["baseline"] == rows[baseline]["variant"]
        and _rounds(row) == _rounds(rows[baseline])
    )
    return (baseline, *again)


def _rounds(row: Row) -> list[int]:
    speeds = row["decode_tokens_per_s_by_round"] or []
    return [round_ for round_, speed in enumerate(speeds) if speed is not None]
