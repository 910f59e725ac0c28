"""Judges each row of a summary and names the configuration to use. Pure.

A row is `failed` if nothing was measured, `broken` if its numbers contradict each other or its tokens are
not the baseline's. Otherwise a baseline is the `reference`, and what is compared with it is `faster`,
`slower` or `unclear` by the interval of its speedup.
"""

from collections.abc import Sequence
from typing import Any

import polars as pl

from sweetspot.analyse.faults import faults
from sweetspot.measure.exactness import NOT_CLAIMED

Row = dict[str, Any]


def judge(summary: pl.DataFrame, verdict_load: int | None = None) -> Row:
    """Return the content of verdict.json.

    The winner is the fastest of the rows that are proven faster than their baselines, and of the baselines
    that nothing is proven faster than: that of another NCCL variant may beat them all. Of rows that can't be
    told apart, it is the one with the fewest steps, then the first of the plan. A control never wins.

    Args:
        summary: As `sweetspot.analyse.summary.summarise` returns it.
        verdict_load: Load that decides; the smallest if None.

    Returns:
        `verdict_load`; `winner`, a variant's id, or None if nothing was measured; `use_baseline`, whether
        that is a baseline; `tied_with`, the ids that can't be told from the fastest; `sentence`; `warnings`;
        and `rows`, each with `variant`, `load`, `verdict` and `reasons`.
    """
    rows = summary.to_dicts()
    load = min(row["load"] for row in rows) if verdict_load is None else verdict_load
    cells = {(row["variant"], row["load"]): row for row in rows}
    for row in rows:
        row["verdict"], row["reasons"] = _judge_row(row, cells[row["baseline"], row["load"]])
    candidates = _candidates([row for row in rows if row["load"] == load])
    fastest = max(candidates, key=lambda row: row["decode_tokens_per_s"], default=None)
    tied = [row for row in candidates if fastest is not None and not _told_apart(row, fastest)]
    winner = min(tied, key=lambda row: row["num_steps"], default=None)
    others = [row["variant"] for row in tied if row is not winner]
    return {
        "verdict_load": load,
        "winner": None if winner is None else winner["variant"],
        "use_baseline": winner is not None and winner["verdict"] == "reference",
        "tied_with": others,
        "sentence": _sentence(winner, others, load),
        "warnings": [
            _warning(row) for row in rows if row["control"] and row["verdict"] in {"faster", "slower"}
        ],
        "rows": [{key: row[key] for key in ("variant", "load", "verdict", "reasons")} for row in rows],
    }


def _judge_row(row: Row, baseline: Row) -> tuple[str, list[str]]:
    """Return the verdict on *row*, and why."""
    if row["status"] == "failed":
        return "failed", [row["failure"]]
    if found := faults(row):
        return "broken", found
    reasons = [f"partial: {row['failure']}"] if row["status"] == "partial" else []
    if row["exact"] == "near-tie":
        reasons.append(f"tokens differ in near-ties alone, at most {row['worst_nats']:.4f} nats")
    if row["decode_tokens_per_s"] is None:
        reasons.append("the whole load never decoded at once; send more prompts or lower the load")
    if row["variant"] == row["baseline"]:
        return "reference", reasons
    if baseline["status"] == "failed" or faults(baseline):
        state = "failed" if baseline["status"] == "failed" else "is broken"
        return "unclear", [*reasons, f"its baseline {baseline['variant']} {state}"]
    if row["speedup"] is None:
        return "unclear", [*reasons, "never measured in the same round as its baseline"]
    if row["speedup_low"] is None:
        return "unclear", [*reasons, "measured in one round beside its baseline, so without an interval"]
    interval = f"{row['speedup_low']:.3f} to {row['speedup_high']:.3f}"
    if row["speedup_low"] > 1:
        return "faster", [*reasons, f"speedup {interval}, above 1"]
    if row["speedup_high"] < 1:
        return "slower", [*reasons, f"speedup {interval}, below 1"]
    return "unclear", [*reasons, f"speedup {interval}, around 1"]


def _candidates(rows: Sequence[Row]) -> list[Row]:
    """Return those of *rows*, of one load, that may win."""
    measured = [row for row in rows if row["decode_tokens_per_s"] is not None and not row["control"]]
    faster = [row for row in measured if row["verdict"] == "faster"]
    beaten = {row["baseline"] for row in faster}
    unbeaten = [row for row in measured if row["verdict"] == "reference" and row["variant"] not in beaten]
    return unbeaten + faster


def _told_apart(row: Row, fastest: Row) -> bool:
    """Return whether *row* is known to be slower than *fastest*.

    Rows with one baseline are compared by their speedups, in which what changed from round to round cancels.
    """
    if row is fastest:
        return False
    name = "speedup" if row["baseline"] == fastest["baseline"] else "decode_tokens_per_s"
    high, low = row[f"{name}_high"], fastest[f"{name}_low"]
    return high is not None and low is not None and high < low


def _sentence(winner: Row | None, tied: Sequence[str], load: int) -> str:
    """Return the verdict in plain words."""
    if winner is None:
        return f"At load {load} no baseline gave a number to compare with."
    speed = f"{winner['decode_tokens_per_s']:.4g} tokens/s"
    if winner["verdict"] == "reference":
        told = f"At load {load} use the baseline {winner['variant']}, {speed}: nothing is proven faster"
    else:
        interval = f"{winner['speedup_low']:.3g} to {winner['speedup_high']:.3g}"
        tokens = {"exact": "the same tokens", "near-tie": "the same tokens but for near-ties"}
        told = (
            f"At load {load} use {winner['variant']}, {speed}: {winner['speedup']:.3g} times its baseline "
            f"{winner['baseline']} (95 % interval {interval}), "
            f"{tokens.get(winner['exact'], f'equal tokens {NOT_CLAIMED}')}"
        )
    if tied:
        named = ", ".join(tied[:3]) + (f" and {len(tied) - 3} more" if len(tied) > 3 else "")
        told += f"; not told apart from {named}, with as many steps or more"
    return told + "."


def _warning(row: Row) -> str:
    """Return what it means that a control differs from the baseline that it repeats."""
    return (
        f"{row['variant']} at load {row['load']} repeats {row['baseline']} and is {row['verdict']}, "
        f"speedup {row['speedup_low']:.3f} to {row['speedup_high']:.3f}: so small a difference proves nothing"
    )
