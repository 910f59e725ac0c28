"""Says how one-load launches compare with dedicated ones. Pure."""

from typing import Any

from sweetspot.analyse.digits import rounded, with_interval


def equality_remarks(equality: dict[str, Any]) -> list[str]:
    """Return a line for each variant and load that was measured both ways, then what follows.

    Args:
        equality: The content of equality.json.
    """
    rows, rounds = equality["rows"], equality["rounds"]
    if not rows:
        return ["One load against a load each: not compared, no launch of the second stage gave a number."]
    lines = [
        f"{_cell(row)}, one load over dedicated: speed {_ratio(row, 'decode_tokens_per_s')}, mean cycle "
        f"{_ratio(row, 'cycle_s')}"
        for row in rows
    ]
    many = f"{rounds} round{'s' if rounds > 1 else ''}"
    return [
        *lines,
        f"One load against a load each, {many} side by side: {_outcome(equality)}",
    ]


def _outcome(equality: dict[str, Any]) -> str:
    rows, share = equality["rows"], f"{100 * equality['tolerance']:.0f} %"
    refuted = [_cell(row) for row in rows if not row["holds"]]
    if refuted:
        return (
            f"refuted, larger than its interval and {share} is the difference of {', '.join(refuted)}: "
            "every variant was measured by a launch of its own, and these decide"
        )
    whole = "not refuted"
    if missing := equality["missing"]:
        whole += f" where both ways gave numbers (not for {', '.join(map(_cell, missing))})"
    ends = [row[f"decode_tokens_per_s_{end}"] for row in rows for end in ("low", "high")]
    if None in ends:
        return f"{whole} and not proved, one round has no interval"
    widest = max(abs(end - 1) for end in ends)
    return (
        f"{whole}, no difference of speeds is larger than both its interval and {share}; by the widest "
        f"interval up to {rounded(100 * widest, 2)} % may have been missed"
    )


def _cell(row: dict[str, Any]) -> str:
    return f"{row['variant']} at load {row['load']}"


def _ratio(row: dict[str, Any], name: str) -> str:
    return with_interval(row[name], row[f"{name}_low"], row[f"{name}_high"], 1)
