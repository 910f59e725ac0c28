"""Writes what the timer saw of each variant as the EAGLE3_PROF banner, which others print. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl

ENOUGH = 400  # cycles over which such banners are printed elsewhere
PHASES = {
    "draft_s": "Draft steps",
    "verify_s": "Target verify",
    "extend_s": "Draft re-extend",
    "decode_s": "Target decode",
}
UNTIMED = "No cycle was timed: the study has `profile: none`."


def banners(passes: pl.DataFrame, plan: Mapping[str, Any], cautions: Sequence[str]) -> str:
    """Return a banner for each variant of *plan*, at the load of its verdict.

    Args:
        passes: As `sweetspot.measure.tables.measure` returns them.
        plan: The content of plan.json.
        cautions: What stands above them, a line each.
    """
    load, timed = plan["verdict_load"], pl.col("timed_cycles") > 0
    parts = ["\n".join(cautions)] if cautions else []
    if plan["workload"]["profile"] == "none":
        return "\n\n".join([*parts, UNTIMED]) + "\n"
    for variant in plan["variants"]:
        of_it = passes.filter(timed, pl.col("variant") == variant["id"], pl.col("load") == load)
        parts.append("\n".join(_banner(variant["id"], load, of_it)))
    return "\n\n".join(parts) + "\n"


def _banner(variant: str, load: int, passes: pl.DataFrame) -> Iterator[str]:
    """Yield the lines of one banner: means over all timed cycles of *passes*."""
    cycles, tokens = int(passes["timed_cycles"].sum()), int(passes["timed_tokens"].sum())
    if not cycles:
        yield f"{variant} at load {load}: no cycle was timed"
        return
    total_s = _mean_s(passes, "cycle_s")
    phases = {title: _mean_s(passes, name) for name, title in PHASES.items() if not _untold(passes, name)}
    phases["Other overhead"] = total_s - sum(phases.values())
    clock = passes["cycle_clock"][0]
    yield f"EAGLE3_PROF ({cycles} cycles, {tokens} tok, {variant} at load {load}, clock: {clock})"
    for title, seconds in phases.items():
        yield f"  {title + ':':<16} {1000 * seconds:8.3f} ms/cyc ({seconds / total_s:6.1%})"
    yield f"  {'TOTAL:':<16} {1000 * total_s:8.3f} ms/cyc"
    yield f"  Accept len: {tokens / cycles / load:.2f} (tokens a cycle and request, bonus token included)"
    yield f"  Eff tok/s: {tokens / cycles / total_s:.1f}"
    if cycles < ENOUGH:
        yield f"  Fewer than {ENOUGH} cycles: not to be compared with banners over {ENOUGH}"


def _untold(passes: pl.DataFrame, name: str) -> bool:
    return passes[name].null_count() > 0


def _mean_s(passes: pl.DataFrame, name: str) -> float:
    """Return the mean over cycles of a column of means over the cycles of a pass."""
    return float((passes[name] * passes["timed_cycles"]).sum()) / float(passes["timed_cycles"].sum())
