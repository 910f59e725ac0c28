"""Pools the passes of each variant and load into one row, and compares it with its baseline. Pure."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from sweetspot.analyse.bootstrap import bootstrap
from sweetspot.analyse.design import Row
from sweetspot.analyse.pooling import pooled_acceptance, pooled_latency, round_medians
from sweetspot.analyse.resolution import resolution
from sweetspot.analyse.speedup_columns import speedup_columns
from sweetspot.analyse.statistics import estimate, interval_columns
from sweetspot.analyse.summary_columns import SUMMARY
from sweetspot.measure.exactness import OF_BASELINES
from sweetspot.measure.throughput import identity_residual
from sweetspot.plan.document import untimed

IN_CYCLE = ("draft_s", "verify_s", "extend_s", "decode_s")  # what is left of a cycle is other_s


def summarise(
    tables: Mapping[str, pl.DataFrame], plan: Mapping[str, Any], rounds: int | None = None
) -> pl.DataFrame:
    """Return a row for each variant and load of *plan*, in its order, also where nothing was measured.

    Args:
        tables: As `sweetspot.measure.tables.measure` returns them.
        plan: The content of plan.json.
        rounds: That a variant is to have, if not all of the plan's.

    Returns:
        The columns of `SUMMARY`.
    """
    passes = _by_cell(tables["passes"])
    requests = _by_cell(tables["requests"])
    exact = _by_cell(tables["exactness"])
    numbers = range(max([plan["rounds"], *(tables["launches"]["round"] + 1)]))
    speeds = {cell: round_medians(frame, "decode_tokens_per_s") for cell, frame in passes.items()}
    rows = []
    for variant in plan["variants"]:
        launches = tables["launches"].filter(pl.col("variants").list.contains(variant["id"]))
        for load in plan["workload"]["loads"]:
            cell = (variant["id"], load)
            row = variant | {"variant": variant["id"], "load": load, "resolution": resolution(variant, plan)}
            row["untimed"] = variant["id"] in untimed(plan)
            row |= _status(launches, passes.get(cell), plan, plan["rounds"] if rounds is None else rounds)
            if cell in passes:
                baseline = {} if row["untimed"] else speeds.get((variant["baseline"], load), {})
                row |= _speed(load, passes[cell], speeds[cell], baseline)
                row["decode_tokens_per_s_by_round"] = [speeds[cell].get(r) for r in numbers]
                verifies = round_medians(passes[cell], target_pass(row))
                row["verify_s_by_round"] = [verifies.get(r) for r in numbers]
                row |= pooled_acceptance(passes[cell], variant)
                row |= pooled_latency(passes[cell], requests[cell])
                row |= _exactness(exact[cell])
                intervals = sum(sum(counts) for counts in passes[cell]["itl_chunk_counts"])
                row["identity_residual"] = _residual(row, passes[cell], intervals)
                inside = passes[cell]["full_load_cycles"].sum()
                row["full_load_share"] = inside / intervals if intervals else None
                if variant["id"] != variant["baseline"] and (variant["baseline"], load) in requests:
                    ends = bootstrap(requests[cell], requests[variant["baseline"], load]) or (None, None)
                    row["speedup_bootstrap_low"], row["speedup_bootstrap_high"] = ends
            rows.append({name: row.get(name) for name in SUMMARY})
    for load in plan["workload"]["loads"]:
        of_load = [row for row in rows if row["load"] == load]
        for row, columns in zip(of_load, speedup_columns(of_load), strict=True):
            row.update(columns)
    return pl.DataFrame(rows, SUMMARY)


def target_pass(row: Mapping[str, Any]) -> str:
    """Return the column that holds a pass of the target: the verify, and what stands for it in a baseline."""
    return "verify_s" if row["num_steps"] else "cycle_s" if row["decode_s"] is None else "decode_s"


def _by_cell(table: pl.DataFrame) -> dict[tuple[Any, ...], pl.DataFrame]:
    """Return *table* in parts, by variant and load."""
    return table.partition_by("variant", "load", as_dict=True)


def _status(launches: pl.DataFrame, passes: pl.DataFrame | None, plan: Mapping[str, Any], rounds: int) -> Row:
    """Return whether the passes of the plan are there, and the first failure of a launch if not."""
    planned = launches["launch"].n_unique() * rounds * plan["workload"]["repeats"]
    found = 0 if passes is None else passes.height
    status = "failed" if not found else "complete" if found == planned else "partial"
    failures = [*launches["failure"].drop_nulls(), "not every launch was measured"]
    return {
        "status": status,
        "failure": None if status == "complete" else failures[0],
        "rounds": 0 if passes is None else passes["round"].n_unique(),
        "passes": found,
        "requests": 0 if passes is None else passes["requests"].sum(),
        "start_s": launches["start_s"].median(),
    }


def _speed(load: int, passes: pl.DataFrame, speeds: dict[int, float], baseline: dict[int, float]) -> Row:
    """Return the columns on speed, and the accept_length at which it would equal the baseline's."""
    launches = sorted(passes["launch"].unique())
    row: Row = {"launch": "+".join(launches), "client_cost": passes["client_cost"].median()}
    row |= interval_columns("decode_tokens_per_s", estimate(list(speeds.values())) if speeds else None)
    for name in ("cycle_s", "chunk_cycle_s", "server_tokens_per_s", *IN_CYCLE, "host_s"):
        medians = round_medians(passes, name)
        row[name] = estimate(list(medians.values())).centre if medians else None
    row |= _timer(row, passes)
    if baseline and row["cycle_s"] is not None:
        baseline_per_request = estimate(list(baseline.values())).centre / load
        row["break_even_accept_length"] = baseline_per_request * row["cycle_s"]
    return row


def _timer(row: Row, passes: pl.DataFrame) -> Row:
    """Return which clock timed the phases, in how many cycles, and what they leave of a cycle."""
    clocks = passes["cycle_clock"].drop_nulls()
    if clocks.is_empty() or row["host_s"] is None:
        return {}
    return {
        "cycle_clock": clocks[0],
        "timed_cycles": passes["timed_cycles"].sum(),
        "other_s": row["cycle_s"] - sum(row[phase] or 0.0 for phase in IN_CYCLE),
        "timed_share": passes["timed_share"].mean(),
    }


def _exactness(exact: pl.DataFrame) -> Row:
    """Return the columns on exactness."""
    row = exact.row(0, named=True)
    return {
        "exact": row["status"],
        "inexact_reason": row["reason"],
        "diverged_share": None if row["diverged"] is None else row["diverged"] / row["requests"],
        **{name: row[name] for name in (*("first_divergence", "worst_nats"), *OF_BASELINES)},
    }


def _residual(row: Row, passes: pl.DataFrame, intervals: int) -> float | None:
    """Return the identity's residual: at load 1 from the numbers that the row shows.

    Above load 1 those are of the windows in which the whole load ran, a sample of the cycles in which some
    prompts weigh more than others, while the server counts all cycles. So there it is tokens a chunk
    interval, of all intervals.
    """
    if row["accept_length"] is None:
        return None
    if row["load"] == 1:
        terms = (row["decode_tokens_per_s"], row["load"], row["cycle_s"], row["accept_length"])
        return None if None in terms else identity_residual(*terms)
    tokens = sum(passes["completion_tokens"]) - sum(passes["requests"])
    return float(tokens / intervals / row["accept_length"] - 1) if intervals else None
