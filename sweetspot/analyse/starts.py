"""How far log speeds scatter from launch to launch, where several arms share a start. Pure.

Arms of one launch scatter together, so only pairs of different launches tell. As in spread.py, variants and
baselines are each a kind by itself, and what makes an arm fast or slows a whole round is no spread.
"""

from collections.abc import Sequence

import numpy as np

from sweetspot.analyse.spread import NO_SPREAD, Error, Floats


def from_launch_to_launch(logs: Floats, launches: Sequence[str]) -> Error | None:
    """Return how an arm of one kind scatters, None with fewer than two launches.

    Half the mean variance of all differences between arms of two launches, each pair of launches counting
    alike. Its degrees of freedom are those of the launches' own effects, however many arms measure them.

    Args:
        logs: Log speeds without gaps. Shape (studies, rounds, arms); two rounds or more.
        launches: Launch of each arm.
    """
    names = list(dict.fromkeys(launches))
    if len(names) < 2:
        return None
    logs = logs - logs.mean(axis=1, keepdims=True)
    of_each = [logs[..., [launch == name for launch in launches]] for name in names]
    means = np.stack([arms.mean(axis=2) for arms in of_each], axis=2)  # (studies, rounds, launches)
    squares = np.stack([(arms**2).mean(axis=2) for arms in of_each], axis=2)
    count = len(names)
    pairs = squares.sum(axis=2) - (means.sum(axis=2) ** 2 - (means**2).sum(axis=2)) / (count - 1)
    degrees = logs.shape[1] - 1
    variance = pairs.sum(axis=1) / count / degrees
    return Error(np.maximum(variance, NO_SPREAD**2), np.full(len(logs), float(degrees * (count - 1))))


def less(one: Error | None, other: Error | None, measured: int) -> Error | None:
    """Return how well an arm less the mean of *measured* others is known, each in a launch of its own.

    The degrees are the fewer ones: the two kinds scatter together, as they share their launches.
    """
    if one is None or other is None:
        return None
    return Error(one.variance + other.variance / measured, np.minimum(one.freedom, other.freedom))
