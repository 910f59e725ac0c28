"""How many times as large one study's numbers are as another's, with an interval. Pure.

The rounds of two studies have nothing in common that could cancel, so they are not paired. Welch's interval
on logarithms lets each study have its own spread and its own number of rounds.
"""

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit  # type: ignore[import-untyped]

from sweetspot.analyse.statistics import CONFIDENCE, Estimate, ends

ROUNDING = 1e-9  # of a mean of logarithms: ratios closer to 1 than that are 1


def ratio(a: Sequence[float], b: Sequence[float]) -> Estimate:
    """Return the geometric mean of *b* over that of *a*, and its 95 % interval: none if one has one round.

    Args:
        a: One a round, above 0, at least one.
        b: The same of the other study.
    """
    logs_a, logs_b = np.log(a), np.log(b)
    centre = math.exp(logs_b.mean() - logs_a.mean())
    if min(logs_a.size, logs_b.size) == 1:
        return Estimate(centre, None, None)
    parts = [(float(logs.var(ddof=1)) / logs.size, logs.size - 1) for logs in (logs_a, logs_b)]
    variance = sum(part for part, _ in parts)
    if variance == 0:
        return Estimate(centre, centre, centre)
    degrees = variance**2 / sum(part**2 / freedom for part, freedom in parts)
    half = stdtrit(degrees, (1 + CONFIDENCE) / 2) * math.sqrt(variance)
    return Estimate(centre, *ends(centre, half))


def differs(found: Estimate) -> bool | None:
    """Return whether the interval of *found* leaves 1 out, or None without an interval."""
    if found.low is None or found.high is None:
        return None
    return found.low > 1 + ROUNDING or found.high < 1 - ROUNDING
