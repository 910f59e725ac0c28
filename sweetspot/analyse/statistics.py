"""The mean of a number over rounds, and its interval.

The unit is the launch: one start of the server in one round. Repeats inside it share its memory layout, its
clocks and its neighbours, so they are not independent; before anything is said about spread they become one
number, their median. Launches in different rounds are independent. Speeds are averaged as logarithms: then
the ratio of two means is the mean of the ratios, and no interval reaches below 0. An interval here stands
alone; those of comparisons are in speedups.py. Pure.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit  # type: ignore[import-untyped]

CONFIDENCE = 0.95
_WIDEST = math.log(1e6)  # further out an interval says no more, and its end may be too large for a float


@dataclass(frozen=True)
class Estimate:
    """A geometric mean over rounds and its Student t interval; one round has no interval."""

    centre: float
    low: float | None
    high: float | None


def estimate(values: Sequence[float], confidence: float = CONFIDENCE) -> Estimate:
    """Return the geometric mean of *values* and its interval.

    Args:
        values: One a round, above 0, at least one.
        confidence: Of the interval.
    """
    logs = np.log(values)
    centre = math.exp(logs.mean())
    if logs.size == 1:
        return Estimate(centre, None, None)
    return Estimate(centre, *ends(centre, half_width(logs, confidence)))


def half_width(values: Sequence[float] | NDArray[np.float64], confidence: float = CONFIDENCE) -> float:
    """Return how far Student's interval reaches to each side of the mean of *values*.

    Args:
        values: One a round, at least two.
        confidence: Of the interval.
    """
    limit = stdtrit(len(values) - 1, (1 + confidence) / 2)
    return float(limit * np.std(values, ddof=1) / math.sqrt(len(values)))


def ends(centre: float, half: float) -> tuple[float, float]:
    """Return the ends of an interval that reaches *half* to each side of log(*centre*), cut at `_WIDEST`."""
    factor = math.exp(min(half, _WIDEST))
    return centre / factor, centre * factor


def interval_columns(name: str, found: Estimate | None) -> dict[str, float | None]:
    """Return *found* as `<name>`, `<name>_low` and `<name>_high`; None for each if nothing was found."""
    if found is None:
        return dict.fromkeys([name, f"{name}_low", f"{name}_high"])
    return {name: found.centre, f"{name}_low": found.low, f"{name}_high": found.high}
