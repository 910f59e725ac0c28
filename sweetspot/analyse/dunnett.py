"""How large the largest of several Student t's grows by chance (Dunnett's distribution, two-sided).

The t's share one estimate of spread. Those that are compared with the same baseline share its error too:
measured once a round it correlates them by a half, measured m times by 1 / (m + 1). Those of different
baselines are not correlated. Pure.
"""

from collections import Counter
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri, gammaln, ndtr, stdtrit  # type: ignore[import-untyped]

Floats = NDArray[np.float64]
Sizes = tuple[tuple[int, int], ...]  # for each baseline: comparisons with it, how often it was measured

SMALLEST_P = 1e-6  # a smaller p-value is known to be smaller, and no more
_NODES = 32  # four digits of a p-value down to there
_TAIL = 1e-9  # of the spread's distribution, left out at either end


def exceeds(t: float, sizes: Sizes, freedom: float) -> float:
    """Return the chance that the largest of the family is *t* or more where nothing differs.

    Args:
        t: At least 0.
        sizes: Of the family.
        freedom: Degrees of freedom of the shared spread, 1 or more, whole or not.
    """
    spreads, weights = _spreads(freedom)
    inside = np.ones_like(spreads)
    for measured in {measured for _, measured in sizes}:
        alike = Counter(comparisons for comparisons, times in sizes if times == measured)
        inside *= _all_inside(t * spreads, alike, 1 / (measured + 1))
    return min(max(1 - float(weights @ inside), 0.0), 1.0)


@cache
def critical(level: float, sizes: Sizes, freedom: float) -> float:
    """Return the t that the largest of the family exceeds with a chance of *level*."""
    from scipy.optimize import brentq  # type: ignore[import-untyped]  # takes as long as all else to import

    comparisons = sum(size for size, _ in sizes)
    if comparisons == 1:
        return float(stdtrit(freedom, 1 - level / 2))
    bonferroni = float(stdtrit(freedom, 1 - level / 2 / comparisons))
    return float(brentq(lambda t: exceeds(t, sizes, freedom) - level, 0.1, bonferroni + 0.1, xtol=1e-6))


@cache
def _spreads(freedom: float) -> tuple[Floats, Floats]:
    """Return values that an estimate of a spread of 1 may take, and their weights."""
    low, high = (np.sqrt(chdtri(freedom, tail) / freedom) for tail in (1 - _TAIL, _TAIL))
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    dense_below = ((nodes + 1) / 2) ** 2  # where a large t is decided
    spread = low + (high - low) * dense_below
    log_density = (
        np.log(2)
        + freedom / 2 * np.log(freedom / 2)
        - gammaln(freedom / 2)
        + (freedom - 1) * np.log(spread)
        - freedom * spread**2 / 2
    )
    density = np.exp(log_density) * weights * np.sqrt(dense_below)
    return spread, density / density.sum()


@cache
def _baseline_errors() -> tuple[Floats, Floats]:
    """Return values of a standard normal variate, and their weights."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    return nodes, weights / weights.sum()


def _all_inside(limit: Floats, families: Counter[int], correlation: float) -> Floats:
    """Return the chance that normal variates with this correlation are all within *limit* of 0.

    Args:
        limit: Shape (limits,).
        families: How many families there are of so many variates; those of different ones are independent.
        correlation: Within a family.
    """
    nodes, weights = _baseline_errors()
    shared, own = np.sqrt(correlation) * nodes, np.sqrt(1 - correlation)
    chances = ndtr((limit[:, None] - shared) / own) - ndtr((-limit[:, None] - shared) / own)
    of_each = [(chances**variates @ weights) ** times for variates, times in families.items()]
    return np.asarray(np.prod(of_each, axis=0))
