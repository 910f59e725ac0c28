"""Whether a server that switches measures what a server of its own does: one-load over dedicated, by round.

Both kinds were started in the same rounds. A ratio is that of two medians of one round, so what drifts from
round to round cancels, and its interval is Student's over the rounds, each at its share of the 5 %. A
difference of speeds that is larger than its interval and than the tolerance refutes the equality; fewer than
two rounds refute nothing, and prove nothing. Pure.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from scipy.special import stdtrit  # type: ignore[import-untyped]

from sweetspot.analyse.design import Row
from sweetspot.analyse.pooling import round_medians
from sweetspot.analyse.resolution import CPU_SERVERS
from sweetspot.analyse.speedups import LEVEL

KINDS = ("oneload", "dedicated")
COMPARED = ("decode_tokens_per_s", "cycle_s")
TOLERANCE = 0.01  # of a speed: what is closer counts as equal


def doubted(summary: pl.DataFrame, verdict: Mapping[str, Any]) -> list[str]:
    """Return the variants whose speeds the verdict rests on: the winner, and the baselines below it.

    If a baseline is to be used, the fastest variant that speculates takes the winner's place.

    Args:
        summary: As `sweetspot.analyse.summary.summarise` returns it.
        verdict: The content of verdict.json.

    Returns:
        Ids in the order of the summary; none if nothing was measured.
    """
    load = verdict["verdict_load"]
    rows = [
        row
        for row in summary.filter(pl.col("load") == load).to_dicts()
        if row["decode_tokens_per_s"] is not None and not row["control"]
    ]
    by_speed = sorted(rows, key=lambda row: -row["decode_tokens_per_s"])
    fastest_baseline = [row["variant"] for row in by_speed if row["variant"] == row["baseline"]][:1]
    winner = next((row for row in rows if row["variant"] == verdict["winner"] and row["num_steps"]), None)
    speculates = winner or next((row for row in by_speed if row["num_steps"]), None)
    wanted = {*fastest_baseline, *([speculates["variant"], speculates["baseline"]] if speculates else [])}
    return [row["variant"] for row in rows if row["variant"] in wanted]


def equality(passes: pl.DataFrame, plan: Mapping[str, Any]) -> Row:
    """Return the content of equality.json.

    Args:
        passes: Of all launches of *plan*, as `sweetspot.measure.tables.measure` returns them.
        plan: The content of plan/recheck.json.

    Returns:
        `rounds`, `tolerance` (difference that counts as none, a share), `holds` (False if any row refutes the
        equality) and `rows`: a `variant`, a `load`, for each of `COMPARED` the ratio of the two kinds of
        launch with its `_low` and `_high` (null for fewer than two rounds), and whether it `holds`.
    """
    kinds = {launch["id"]: launch["kind"] for launch in plan["launches"]}
    on_cpu = any(launch["args"].get("device") == "cpu" for launch in plan["launches"])
    tolerance = CPU_SERVERS if on_cpu else TOLERANCE
    cells = passes.with_columns(kind=pl.col("launch").replace_strict(kinds)).partition_by(
        "variant", "load", "kind", as_dict=True
    )
    pairs = [
        (variant["id"], load)
        for variant in plan["variants"]
        for load in plan["workload"]["loads"]
        if all((variant["id"], load, kind) in cells for kind in KINDS)
    ]
    share = LEVEL / max(len(pairs), 1)
    rows = []
    for variant, load in pairs:
        row: Row = {"variant": variant, "load": load}
        for name in COMPARED:
            medians = [round_medians(cells[variant, load, kind], name) for kind in KINDS]
            row |= _ratio(name, share, *medians)
        rows.append(row | {"holds": not _refuted(row, tolerance)})
    return {
        "rounds": plan["rounds"],
        "tolerance": tolerance,
        "holds": all(row["holds"] for row in rows),
        "rows": rows,
    }


def _ratio(name: str, share: float, oneload: Mapping[int, float], dedicated: Mapping[int, float]) -> Row:
    """Return the mean over the rounds of one-load over dedicated, and its interval, as three columns."""
    both = sorted(oneload.keys() & dedicated.keys())
    found: Row = dict.fromkeys([name, f"{name}_low", f"{name}_high"])
    if both:
        logs = np.log([oneload[round_] / dedicated[round_] for round_ in both])
        found[name] = float(np.exp(logs.mean()))
    if len(both) > 1:
        half = stdtrit(len(both) - 1, 1 - share / 2) * logs.std(ddof=1) / np.sqrt(len(both))
        found[f"{name}_low"], found[f"{name}_high"] = np.exp(logs.mean() + np.array([-half, half])).tolist()
    return found


def _refuted(row: Row, tolerance: float) -> bool:
    """Return whether the speeds are apart by more than their interval and the tolerance."""
    ratio, low, high = (row[f"decode_tokens_per_s{end}"] for end in ("", "_low", "_high"))
    return low is not None and not low <= 1 <= high and abs(ratio - 1) > tolerance
