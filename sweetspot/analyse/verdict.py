"""Judges each row of a summary and names the configuration to use. Pure.

A row is `failed` if nothing was measured, `broken` if its numbers contradict each other or its tokens are
not the baseline's. Otherwise a baseline is the `reference`, and what is compared with it is `faster`,
`slower` or `unclear` by the interval of its speedup, which is adjusted for all comparisons at its load, and
by its resolution, below which nothing is claimed. A row of an NCCL variant under which NCCL did the same as
under another is `without effect`: one with the other's, and in no ranking.
"""

import polars as pl

from sweetspot.analyse.decision import decide
from sweetspot.analyse.design import Row
from sweetspot.analyse.digits import speedup_text
from sweetspot.analyse.dunnett import SMALLEST_P
from sweetspot.analyse.faults import faults
from sweetspot.analyse.wording import detail, headline, other_tokens, warning
from sweetspot.errors import StudyError

TIMED_SHARE_LIMIT = 0.01  # beyond it the timer and the client did not see the same cycles
WITHOUT_EFFECT = "without effect"

MOST_CYCLES = 0.75  # a speed of fewer of them may be that of some prompts more than of others
HALF_OF_CYCLES = 0.5  # a speed of fewer of them is no speed of the pass, and ranks nothing
PROMPTS_A_LOAD = 4  # with which three in four cycles, or more, run under the whole load


def judge(summary: pl.DataFrame, verdict_load: int | None = None, nccl: Row | None = None) -> Row:
    """Return the content of verdict.json.

    Args:
        summary: As `sweetspot.analyse.summary.summarise` returns it.
        verdict_load: Load that decides; the smallest if None.
        nccl: The content of nccl.json; None if no NCCL variant was probed.

    Returns:
        `verdict_load`; `winner`, a variant's id, or None if nothing was measured; `use_baseline`, whether
        that is a baseline; `sweet_spot`, the ids of what may win and is not known to be slower than
        another of it, and `tied_with`, the same without the winner; `more_rounds`, how many more each open
        variant needs; `sentence` and `detail`; `warnings`; and `rows`, each with `variant`, `load`,
        `verdict` and `reasons`.

    Raises:
        StudyError: If *verdict_load* was not measured.
    """
    rows = summary.to_dicts()
    loads = sorted({row["load"] for row in rows})
    load = loads[0] if verdict_load is None else verdict_load
    if load not in loads:
        raise StudyError(f"verdict_load: {load}, expected one of the study's loads {loads}; change either")
    cells = {(row["variant"], row["load"]): row for row in rows}
    for row in rows:
        row["verdict"], row["reasons"] = _judge_row(row, cells[row["baseline"], row["load"]])
    for row in rows:
        _merge(row, nccl or {"variants": {}})
    deciding = [row for row in rows if row["load"] == load]
    decision = decide(deciding)
    winner = decision.winner
    return {
        "verdict_load": load,
        "winner": None if winner is None else winner["variant"],
        "use_baseline": winner is not None and winner["verdict"] == "reference",
        "sweet_spot": [row["variant"] for row in decision.sweet_spot],
        "tied_with": [row["variant"] for row in decision.sweet_spot if row is not winner],
        "more_rounds": decision.more_rounds,
        "sentence": headline(decision, load),
        "detail": detail(decision, deciding),
        "warnings": [
            *(warning(row) for row in rows if row["control"] and row["verdict"] in {"faster", "slower"}),
            *dict.fromkeys(
                other_tokens(row, rows[0]["baseline"])
                for row in rows
                if row["baseline_diverged_share"] and not row["control"]
            ),
        ],
        "rows": [{key: row[key] for key in ("variant", "load", "verdict", "reasons")} for row in rows],
    }


def _merge(row: Row, nccl: Row) -> None:
    """Take *row* out of the ranking if its NCCL variant is the reference by another name."""
    found = nccl["variants"].get(row["nccl"])
    if found is None or not found["without_effect"] or row["verdict"] in ("broken", "failed"):
        return
    why = found["detail"] or "the same algorithm, protocol, channels and transports at every size"
    row["reasons"] = [f"NCCL did the same as under {nccl['reference']}: {why}", *row["reasons"]]
    row["verdict"] = WITHOUT_EFFECT


def _judge_row(row: Row, baseline: Row) -> tuple[str, list[str]]:
    """Return the verdict on *row*, and why."""
    if row["status"] == "failed":
        return "failed", [row["failure"]]
    if found := faults(row):
        return "broken", found
    reasons = [f"partial: {row['failure']}"] if row["status"] == "partial" else []
    if row["exact"] == "near-tie":
        reasons.append(f"tokens differ in near-ties alone, at most {row['worst_nats']:.4f} nats")
    share, limit = row["timed_share"], _timed_share_limit(row)
    if share is not None and abs(share - 1) > limit:
        reasons.append(
            f"the periods of its cycles make up {100 * share:.1f} % of the client's decode time, expected "
            f"{100 * (1 - limit):.1f} to {100 * (1 + limit):.1f} %: its phases miss time or count it twice"
        )
    if row["decode_tokens_per_s"] is None:
        reasons.append("the whole load never decoded at once; send more prompts or lower the load")
    share = row["full_load_share"]
    if row["load"] > 1 and share is not None and share < MOST_CYCLES:
        reasons.append(
            f"the speed is of {100 * share:.0f} % of the cycles, in which the whole load ran; "
            f"send {PROMPTS_A_LOAD} prompts or more for each request in flight"
        )
    if row["variant"] == row["baseline"]:
        return "reference", reasons
    if baseline["status"] == "failed" or faults(baseline):
        state = "failed" if baseline["status"] == "failed" else "is broken"
        return "unclear", [*reasons, f"its baseline {baseline['variant']} {state}"]
    if row["speedup"] is None:
        return "unclear", [*reasons, "never measured in the same round as its baseline"]
    if row["speedup_low"] is None:
        return "unclear", [*reasons, "measured in one round beside its baseline, so without an interval"]
    if row["load"] > 1 and min(one["full_load_share"] or 0.0 for one in (row, baseline)) < HALF_OF_CYCLES:
        return "unclear", [*reasons, "a speed of less than half of the cycles, its own or its baseline's"]
    interval = f"speedup {speedup_text(row)}"
    p_value = row["p_value_adjusted"]
    chance = f"adjusted p {p_value:.2g}" if p_value >= SMALLEST_P else f"adjusted p below {SMALLEST_P:g}"
    low, high = row["speedup_bootstrap_low"], row["speedup_bootstrap_high"]
    if low is not None and low <= 1 <= high and not row["speedup_low"] <= 1 <= row["speedup_high"]:
        reasons.append(f"with other prompts it might be {low:.3f} to {high:.3f}, by the bootstrap")
    least = 1 + (row["resolution"] or 0.0)
    if 1 / least < row["speedup"] < least:
        return "unclear", [
            *reasons,
            f"{interval}, within the {100 * least - 100:.0f} % by which two CPU servers differ",
        ]
    if row["speedup_low"] > 1:
        return "faster", [*reasons, f"{interval}, above 1, {chance}"]
    if row["speedup_high"] < 1:
        return "slower", [*reasons, f"{interval}, below 1, {chance}"]
    return "unclear", [*reasons, f"{interval}, around 1, {chance}"]


def _timed_share_limit(row: Row) -> float:
    """Return how far from 1 the timed share of *row* may be.

    Above load 1 it is of windows, of which nobody knows to a cycle which one is the first.
    """
    if row["load"] == 1 or not row["timed_cycles"]:
        return TIMED_SHARE_LIMIT
    windows = row["requests"] / row["load"]
    return float(TIMED_SHARE_LIMIT + windows / row["timed_cycles"])
