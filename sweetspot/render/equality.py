"""Says how one-load launches compare with dedicated ones. Pure."""

from typing import Any

from sweetspot.render.rows import with_interval


def equality_remarks(equality: dict[str, Any]) -> list[str]:
    """Return a line for each variant and load that was measured both ways, then what follows.

    Args:
        equality: The content of equality.json.
    """
    rows, rounds = equality["rows"], equality["rounds"]
    if not rows:
        return ["One load against a load each: not compared, no launch of the second stage gave a number."]
    lines = [
        f"{row['variant']} at load {row['load']}, one load over dedicated: speed "
        f"{_ratio(row, 'decode_tokens_per_s')}, mean cycle {_ratio(row, 'cycle_s')}"
        for row in rows
    ]
    known = all(row["decode_tokens_per_s_low"] is not None for row in rows)
    share = f"{equality['tolerance']:.0%}"
    if not equality["holds"]:
        outcome = (
            f"refuted, a difference is larger than its interval and {share}: "
            "every variant was measured by a launch of its own, and these decide"
        )
    elif known:
        outcome = f"not refuted, no difference is larger than both its interval and {share}"
    else:
        outcome = "not proved, one round has no interval"
    return [*lines, f"One load against a load each, {rounds} rounds side by side: {outcome}"]


def _ratio(row: dict[str, Any], name: str) -> str:
    return with_interval(row[name], row[f"{name}_low"], row[f"{name}_high"], 1)
