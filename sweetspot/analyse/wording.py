"""Puts a decision into words: the headline, what stands behind it, and warnings. Pure."""

from collections.abc import Sequence

from sweetspot.analyse.decision import Decision
from sweetspot.analyse.design import Row
from sweetspot.analyse.digits import speed_text, speedup_text
from sweetspot.measure.exactness import NOT_CLAIMED

_NAMED = 3  # of a list; the rest is counted
_OWN_ALONE = "proven faster than its own baseline {baseline}, not than every baseline at once"


def headline(decision: Decision, load: int) -> str:
    """Return what to use, in about 20 words."""
    winner = decision.winner
    if winner is None:
        return f"At load {load} no baseline gave a number to compare with."
    if winner["verdict"] == "reference":
        than = " than every baseline" if len(decision.eligible) > 1 else ""
        return f"At load {load} use the baseline {winner['variant']}: nothing is proven faster{than}."
    tokens = {"exact": "the same tokens", "near-tie": "the same tokens but for near-ties"}
    return (
        f"At load {load} use {winner['variant']}: {speedup_text(winner)} times its baseline "
        f"{winner['baseline']}, {tokens.get(winner['exact'], f'equal tokens {NOT_CLAIMED}')}."
    )


def detail(decision: Decision, rows: Sequence[Row]) -> str:
    """Return what the headline rests on, and what it leaves open.

    Args:
        decision: At the verdict load.
        rows: Those of the summary at that load, with their verdicts.
    """
    said = []
    winner = decision.winner
    if winner is not None:
        said.append(f"{winner['variant']} decodes {_speed(winner)}.")
        said += _unproven(decision, winner, rows)
        baselines = [row["variant"] for row in rows if row["verdict"] == "reference"]
        if len(baselines) > 1 and winner["verdict"] != "reference":
            said.append(f"It beats each of {len(baselines)} baselines ({listed(baselines)}).")
        fastest = decision.fastest
        ties = [row["variant"] for row in decision.sweet_spot if row is not fastest]
        if fastest is not None and ties:
            among = "Of the baselines " if winner["verdict"] == "reference" else ""
            said.append(
                f"{among}{fastest['variant']} is the fastest as measured, {_speed(fastest)}, and not told "
                f"apart from {listed(ties)}: then fewer steps win, then the plainer NCCL variant."
            )
            said += _left_out(decision, winner)
        elif winner["verdict"] == "faster" and len(decision.eligible) > 1:
            said.append("It is clearly faster than every other variant that beats the baselines.")
    if decision.more_rounds:
        said.append(f"More rounds that would settle what is open: {_rounds(decision)}.")
    broken = [row["variant"] for row in rows if row["verdict"] in ("broken", "failed")]
    if broken:
        said.append(f"Not ranked, broken or failed: {listed(broken)}.")
    merged = [row["variant"] for row in rows if row["verdict"] == "without effect"]
    if merged:
        said.append(f"Not ranked, since NCCL did the same in them as in others: {listed(merged)}.")
    compared = sum(row["speedup_low"] is not None for row in rows)
    if compared:
        said.append(
            f"Intervals of speedups are adjusted: of studies without a difference, 5 % show one in any of "
            f"the {compared} comparisons; intervals of speeds are not."
        )
    elif any(row["speedup"] is not None and row["verdict"] != "reference" for row in rows):
        said.append("No speedup has an interval: that takes two rounds.")
    return " ".join(said)


def _unproven(decision: Decision, winner: Row, rows: Sequence[Row]) -> list[str]:
    """Return what may not win and was measured to be faster than *winner*: of each kind the fastest."""
    eligible = {row["variant"] for row in decision.eligible}
    said = []
    for verdict, why in (("faster", _OWN_ALONE), ("unclear", "unclear")):
        others = [
            row
            for row in rows
            if row["verdict"] == verdict
            and row["variant"] not in eligible
            and not row["control"]
            and row["decode_tokens_per_s"] is not None
        ]
        best = max(others, key=lambda row: row["decode_tokens_per_s"], default=winner)
        if best["decode_tokens_per_s"] > winner["decode_tokens_per_s"]:
            said.append(f"{best['variant']} was faster as measured, {_speed(best)}: {why.format(**best)}.")
    return said


def _left_out(decision: Decision, winner: Row) -> list[str]:
    """Return a sentence on what was measured to be faster than *winner* and is not in the sweet spot."""
    spot = [row["variant"] for row in decision.sweet_spot]
    faster = [
        row["variant"]
        for row in decision.eligible
        if row["variant"] not in spot and row["decode_tokens_per_s"] > winner["decode_tokens_per_s"]
    ]
    than = f"Faster as measured than {winner['variant']}, but known to be slower than another"
    return [f"{than}: {listed(faster)}."] if faster else []


def _speed(row: Row) -> str:
    """Return the decode speed of *row* with its digits in the table, and the unit."""
    return f"{speed_text(row).partition(' ')[0]} tokens/s"


def warning(row: Row) -> str:
    """Return what it means that a control differs from what it repeats."""
    if row["untimed"]:
        return (
            f"{row['variant']} at load {row['load']} is {row['baseline']} without the timer and is "
            f"{row['verdict']}, speedup {speedup_text(row)}: by so much the timer changes what it times"
        )
    return (
        f"{row['variant']} at load {row['load']} repeats {row['baseline']} and is {row['verdict']}, "
        f"speedup {speedup_text(row)}: so small a difference proves nothing"
    )


def other_tokens(row: Row, first: str) -> str:
    """Return what it means that the baseline of *row* answers otherwise than the *first* one."""
    return (
        f"{row['baseline']} answers {100 * row['baseline_diverged_share']:.0f} % of the prompts otherwise "
        f"than {first}: its NCCL variant or arguments change the tokens, also without speculation; its "
        "variants are held to its own tokens"
    )


def _rounds(decision: Decision) -> str:
    """Return how many more rounds which variants need, that of the winner first: it might be another."""
    more, winner = decision.more_rounds, decision.winner
    ordered = sorted(more, key=lambda name: (winner is None or name != winner["variant"], more[name]))
    named = ", ".join(f"{more[variant]} for {variant}" for variant in ordered[:_NAMED])
    others = ordered[_NAMED:]
    if not others:
        return named
    return f"{named} and up to {more[others[-1]]} for {len(others)} other{'s' if len(others) > 1 else ''}"


def listed(names: Sequence[str]) -> str:
    """Return the first of *names*, and how many more there are."""
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
