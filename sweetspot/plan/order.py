"""In which order the launches of a plan run: shuffled anew each round, so that no drift favours a variant."""

import random

from sweetspot.plan.document import Plan


def order(plan: Plan, round_: int) -> tuple[str, ...]:
    """Return the ids of all launches in the order of the round with index *round_*.

    It follows from the study's seed and is another one each round. A launch that is added moves no other.
    """
    return tuple(
        sorted(
            (launch.id for launch in plan.launches),
            key=lambda launch: random.Random(f"{plan.seed} {round_} {launch}").random(),
        )
    )


def priority(plan: Plan, launch: str, round_: int) -> int:
    """Return what Snakemake sorts by, the highest first: earlier rounds, and within a round its order.

    Args:
        plan: The plan.
        launch: Id of one of its launches.
        round_: Index of the round.
    """
    launches = order(plan, round_)
    return (plan.rounds - round_) * len(launches) - launches.index(launch)
