"""Whether a server that switches measures what servers of their own do: one-load over dedicated, by round.

Both kinds were started in the same rounds. A ratio is that of two medians of one round, so what drifts from
round to round cancels, and its interval is Student's over the rounds, each speed at its share of the 5 %. A
difference of speeds that is larger than its interval and than the tolerance refutes the equality. One that is
not refuted is not proved: what its interval holds may be so. Fewer than two rounds have no interval. Pure.
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from sweetspot.analyse.design import Row
from sweetspot.analyse.hosts import Tables, by_host
from sweetspot.analyse.pooling import round_medians
from sweetspot.analyse.resolution import CPU_SERVERS
from sweetspot.analyse.speedups import LEVEL
from sweetspot.analyse.statistics import estimate, interval_columns

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


def equality(tables: Tables, plan: Mapping[str, Any]) -> Row:
    """Return the content of equality.json.

    Args:
        tables: Of all launches of *plan*, as `sweetspot.measure.tables.measure` returns them. Only what one
            node measured in a round is paired, on the kind of host that measured the most rounds.
        plan: The content of plan/recheck.json.

    Returns:
        `rounds`, `tolerance` (difference that counts as none, a share), `holds` (False if any row refutes the
        equality), `rows`: a `variant`, a `load`, for each of `COMPARED` the ratio of the two kinds of
        launch with its `_low` and `_high` (null for fewer than two rounds), and whether it `holds`; and
        `missing`, each `variant` and `load` of which no round gave both numbers.
    """
    kinds = {launch["id"]: launch["kind"] for launch in plan["launches"]}
    on_cpu = any(launch["args"].get("device") == "cpu" for launch in plan["launches"])
    tolerance = CPU_SERVERS if on_cpu else TOLERANCE
    passes = next(iter(by_host(tables).values()))["passes"]
    cells = passes.with_columns(kind=pl.col("launch").replace_strict(kinds)).partition_by(
        "variant", "load", "kind", as_dict=True
    )
    pairs = [
        (variant["id"], load)
        for variant in plan["variants"]
        if {launch["kind"] for launch in plan["launches"] if variant["id"] in launch["variants"]} >= {*KINDS}
        for load in plan["workload"]["loads"]
    ]
    share = LEVEL / max(len(pairs), 1)
    rows, missing = [], []
    for variant, load in pairs:
        row: Row = {"variant": variant, "load": load}
        for name in COMPARED:
            medians = [
                round_medians(cells[cell], name) if (cell := (variant, load, kind)) in cells else {}
                for kind in KINDS
            ]
            row |= _ratio(name, share, *medians)
        if row["decode_tokens_per_s"] is None:
            missing.append({"variant": variant, "load": load})
        else:
            rows.append(row | {"holds": not _refuted(row, tolerance)})
    return {
        "rounds": plan["rounds"],
        "tolerance": tolerance,
        "holds": all(row["holds"] for row in rows),
        "rows": rows,
        "missing": missing,
    }


def _ratio(name: str, share: float, oneload: Mapping[int, float], dedicated: Mapping[int, float]) -> Row:
    """Return the mean over the rounds of one-load over dedicated, and its interval, as three columns."""
    both = [oneload[round_] / dedicated[round_] for round_ in sorted(oneload.keys() & dedicated.keys())]
    return interval_columns(name, estimate(both, 1 - share) if both else None)


def _refuted(row: Row, tolerance: float) -> bool:
    """Return whether the speeds are apart by more than their interval and the tolerance."""
    ratio, low, high = (row[f"decode_tokens_per_s{end}"] for end in ("", "_low", "_high"))
    return low is not None and not low <= 1 <= high and abs(ratio - 1) > tolerance
