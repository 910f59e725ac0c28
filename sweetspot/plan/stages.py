"""What a study measures after its first verdict: a one-load launch again, and dedicated ones. Pure."""

from collections.abc import Collection
from dataclasses import replace

from sweetspot.plan.document import Plan
from sweetspot.plan.estimate import estimate


def can_recheck(plan: Plan) -> bool:
    """Return whether *plan* has a launch that switches, and so something to prove."""
    return any(launch.kind == "oneload" for launch in plan.launches)


def recheck(plan: Plan, dedicated: Plan, variants: Collection[str], rounds: int) -> Plan:
    """Return the plan that measures *variants* both ways: in a one-load launch again, and each by itself.

    Args:
        plan: The study's.
        dedicated: The same study with nothing but dedicated launches.
        variants: Whose equality is to be proved.
        rounds: How often each launch starts.

    Returns:
        A plan without launches if none of *variants* was measured in a one-load launch.
    """
    again = [
        replace(
            launch,
            id=launch.id.replace("oneload", "oneload-again", 1),
            reason="held against a dedicated launch of each of its variants, in the same rounds",
            variants=tuple(variant for variant in launch.variants if variant in variants),
        )
        for launch in plan.launches
        if launch.kind == "oneload"
    ]
    again = [launch for launch in again if launch.variants]
    alone = [launch for launch in dedicated.launches if launch.id in variants and again]
    launches = (*again, *alone)
    return replace(
        plan,
        rounds=rounds,
        variants=tuple(variant for variant in plan.variants if variant.id in variants),
        launches=launches,
        dropped=(),
        estimate=estimate(launches, rounds, plan.workload, plan.engine),
    )
