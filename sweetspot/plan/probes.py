"""Says for each NCCL variant of a study how its probe starts, or why there is nothing to probe. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sweetspot.plan.document import Args, Env, Plan
from sweetspot.plan.grid import Study, settings
from sweetspot.plan.speculation import speculation_of

DUMMY = {"load-format": "dummy"}  # weights from nowhere: what NCCL chooses does not hang on them


@dataclass(frozen=True)
class Probe:
    """One short start of the server under an NCCL variant, for what NCCL says and not for any time."""

    nccl: str
    args: Args
    env: Env
    draft_tokens: tuple[int, ...]  # that the study's variants verify of each request, 1 for the baseline
    loads: tuple[int, ...]  # requests in flight
    skip: str | None  # why nothing is started


def plan_probes(study: Study, engine: Mapping[str, Any], plan: Plan) -> dict[str, Probe]:
    """Return the probe of each NCCL variant that *plan* measures.

    It speculates as far as the study does, since the graphs of that server have the largest messages.

    Args:
        study: A checked study.
        engine: Its entry for the engine that serves.
        plan: What it plans.
    """
    widest = max(plan.variants, key=lambda variant: (variant.num_draft_tokens, -variant.eagle_topk))
    speculation = speculation_of(widest).args(study["speculation"]["algorithm"])
    tokens = tuple(sorted({max(variant.num_draft_tokens, 1) for variant in plan.variants}))
    probes = {}
    for name in dict.fromkeys(variant.nccl for variant in plan.variants):
        args, env = settings(study, engine, name, "")
        args = args | speculation | DUMMY
        probes[name] = Probe(name, args, env, tokens, plan.workload.loads, why_not(args))
    return probes


def why_not(args: Args) -> str | None:
    """Return why there is nothing to ask NCCL of servers with these arguments, None if there is."""
    if args.get("device") == "cpu":
        return "on a CPU: NCCL takes no part"
    if args["tp-size"] == 1:
        return "one GPU: there is nothing to all-reduce, so NCCL takes no part"
    return None
