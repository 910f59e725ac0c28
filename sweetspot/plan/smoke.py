"""The short run before a sweep, from which a dead draft is known before hours are spent on it. Pure."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sweetspot.plan.document import Launch, Plan, Variant
from sweetspot.plan.grid import Study, settings
from sweetspot.plan.speculation import chain

SMOKE = "smoke"  # id of the launch and of what it measures; no variant is called so
NUM_STEPS = 3  # drafts a cycle: what SGLang takes for most targets by itself
MAX_NEW_TOKENS = 64
REFERENCE = "default"  # NCCL variant


def smoke_plan(plan: Plan, study: Study, engine: Mapping[str, Any]) -> Plan:
    """Return the plan of one launch and one pass that stays the same when the study grows.

    Args:
        plan: The study's.
        study: A checked study.
        engine: Its entry for the engine that serves.
    """
    nccl: Mapping[str, Mapping[str, Any]] = study["nccl"]
    # the one that the others are held against: no sweep is to fall with a variant that only it wants to try
    plainest = min(
        nccl, key=lambda name: (name != REFERENCE, len(nccl[name]["env"]) + len(nccl[name]["args"]), name)
    )
    args, env = settings(study, engine, plainest, "")
    args |= chain(NUM_STEPS).args(study["speculation"]["algorithm"])
    generation = plan.workload.generation
    return replace(
        plan,
        seed=0,
        rounds=1,
        variants=(Variant(SMOKE, NUM_STEPS, 1, NUM_STEPS + 1, plainest, None, SMOKE, control=False),),
        launches=(Launch(SMOKE, "dedicated", "shows that the draft is alive", (SMOKE,), args, env),),
        dropped=(),
        workload=replace(
            plan.workload,
            loads=(1,),
            repeats=1,
            warmup_passes=0,
            profile="none",
            generation=generation | {"max_new_tokens": min(MAX_NEW_TOKENS, generation["max_new_tokens"])},
        ),
    )
