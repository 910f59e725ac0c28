"""Percentiles of latencies: exact within a pass, and from histograms that can be added over passes.

A histogram has bins 1 % wide from a microsecond up, so a percentile read from a sum of histograms is within
0.5 % of the one read from all the values. Pure.
"""

import numpy as np
from numpy.typing import NDArray

from sweetspot.measure.chunks import Ints

PERCENTILES = (50, 95, 99)
RATIO = 1.01  # between the edges of a bin


def percentiles(name: str, values_s: NDArray[np.float64]) -> dict[str, float | None]:
    """Return `<name>_p50_s`, `_p95_s`, `_p99_s`, or None for each if there are no values.

    A percentile is the smallest of the values that so many percent of them do not exceed.

    Args:
        name: Of the latency.
        values_s: Shape (values,).
    """
    keys = [f"{name}_p{percent}_s" for percent in PERCENTILES]
    if not values_s.size:
        return dict.fromkeys(keys)
    needed = np.ceil(values_s.size * np.array(PERCENTILES) / 100).astype(np.int64)
    return dict(zip(keys, np.sort(values_s)[needed - 1].tolist(), strict=True))


def histogram(values_us: NDArray[np.float64], weights: Ints | None = None) -> tuple[list[int], list[int]]:
    """Return the bins that hold *values_us*, rising, and the count in each.

    Args:
        values_us: In microseconds; below 1 counts as 1. Shape (values,).
        weights: How often each value counts. Shape (values,).
    """
    bins = (np.log(np.maximum(values_us, 1)) / np.log(RATIO)).astype(np.int64)
    counts = np.bincount(bins, weights=weights).astype(np.int64)
    used = counts.nonzero()[0]
    return used.tolist(), counts[used].tolist()


def percentiles_of_histogram(name: str, bins: Ints, counts: Ints) -> dict[str, float | None]:
    """Return `<name>_p50_s`, `_p95_s`, `_p99_s` of a sum of histograms, or None for each if it is empty.

    Args:
        name: Of the latency.
        bins: As `histogram` returns them, of several passes in a row. Shape (entries,).
        counts: In each. Shape (entries,).
    """
    keys = [f"{name}_p{percent}_s" for percent in PERCENTILES]
    if not bins.size:
        return dict.fromkeys(keys)
    below = np.bincount(bins, weights=counts).cumsum()
    found = np.searchsorted(below, below[-1] * np.array(PERCENTILES) / 100)
    middle_s = RATIO ** (found + 0.5) / 1e6
    return dict(zip(keys, middle_s.tolist(), strict=True))
