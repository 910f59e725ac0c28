"""Draws a plan as the text that `sweetspot plan` prints."""

from collections.abc import Sequence

from sweetspot.plan.document import Estimate, Plan, Variant
from sweetspot.plan.estimate import estimate_before
from sweetspot.plan.probes import why_not
from sweetspot.plan.smoke import NUM_STEPS


def describe(plan: Plan, second: Plan | None) -> str:
    """Return *plan* for a reader: what will be started and why, what was left out, what it will cost.

    Args:
        plan: Of the first stage.
        second: Of the second one, if there will be one, whichever variant wins.
    """
    workload = plan.workload
    rows = [
        (variant.id, *_speculation(variant), launch.id, launch.kind, launch.reason)
        for launch in plan.launches
        for variant in plan.variants
        if variant.id in launch.variants
    ]
    probed = 0 if why_not(plan.launches[0].args) else len({variant.nccl for variant in plan.variants})
    before = estimate_before(plan.launches, probed, workload, plan.engine)
    lines = [
        f"{plan.study}: {_count(len(plan.launches), 'launch')} in each of {_count(plan.rounds, 'round')}, "
        f"on {plan.engine} (SGLang {plan.sglang})",
        f"loads {', '.join(map(str, workload.loads))}; {_count(workload.repeats, 'timed pass')} and "
        f"{_count(workload.warmup_passes, 'warm-up pass')} at each",
        f"before them a short run at {NUM_STEPS} steps, which stops the sweep if the draft is dead"
        + (
            f", and {_count(probed, 'probe')} of what NCCL chooses, each with bare all-reduces"
            if probed
            else ""
        ),
        f"about {_cost(plan.estimate)} for the launches, {_cost(before)} for what comes before them",
        *([_second_stage(second)] if second else []),
        "",
        *_table(
            [("variant", "steps", "topk", "draft tokens", "baseline", "launch", "kind", "reason"), *rows]
        ),
    ]
    if plan.dropped:
        lines += ["", *_table([("dropped", "reason"), *((cell.cell, cell.reason) for cell in plan.dropped)])]
    return "\n".join(lines)


def _second_stage(plan: Plan) -> str:
    return (
        f"after the first verdict {_count(len(plan.launches), 'launch')} in each of "
        f"{_count(plan.rounds, 'round')} hold one load against a load each, about {_cost(plan.estimate)} more"
    )


def _cost(estimate: Estimate) -> str:
    return f"{_duration(estimate.seconds)}, {estimate.gpu_hours:g} GPU hours"


def _speculation(variant: Variant) -> tuple[str, str, str, str]:
    numbers = (variant.num_steps, variant.eagle_topk, variant.num_draft_tokens)
    steps, topk, tokens = (str(number or "-") for number in numbers)
    return steps, topk, tokens, variant.baseline if variant.baseline != variant.id else "-"


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _count(number: int, noun: str) -> str:
    plural = noun + ("es" if noun.endswith(("s", "ch")) else "s")
    return f"{number} {noun if number == 1 else plural}"


def _duration(seconds: int) -> str:
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
