"""How far log speeds scatter, of variants and of baselines, each kind by itself. Pure.

What makes an arm fast, and what slows a whole round, is no spread: their means are taken out. Three mean
squares are left: among variants, among baselines, and between the means of the two kinds. The variance of a
variant less its baselines follows from them whether or not both kinds scatter alike. So a noisy baseline,
which is in every comparison, is paid for in every comparison.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NO_SPREAD = 1e-9  # ASSUME: no speed is known better; keeps rounding of equal numbers from being a finding
_STEP = 1.02  # degrees of freedom are rounded down to powers of it, so that limits can be kept


@dataclass(frozen=True)
class Error:
    """How well a difference of one round is known."""

    variance: Floats
    freedom: Floats  # degrees, of its estimate


@dataclass(frozen=True)
class Spread:
    """Mean squares of one pool. Their shapes, of one or more of `studies`, broadcast."""

    variants: int  # how many
    baselines: int
    rounds: int
    among_variants: Floats  # variance of a variant; 0 if there is but one
    among_baselines: Floats
    between: Floats  # variance of the variants' mean less the baselines'; 0 if there are none of a kind

    def of_variants(self) -> Error | None:
        """Return how well a variant less another is known, None if there is but one."""
        return self._of_a_kind(self.among_variants, self.variants, 1)

    def of_baselines(self, measured: int) -> Error | None:
        """Return the same for a baseline less the mean of *measured* others."""
        return self._of_a_kind(self.among_baselines, self.baselines, measured)

    def of_both(self, measured: int) -> Error | None:
        """Return the same for a variant less the mean of *measured* baselines.

        Its estimate has no bias, whatever the two spreads are, and among such it is the surest if they are
        equal. Its degrees of freedom are Satterthwaite's, and no more than equal spreads would give.
        """
        if not self.variants or not self.baselines:
            return None
        between = _weight(self.variants, self.baselines, measured)
        parts = [  # factor, degrees a round, mean square, and what that is for spreads of 1
            (1 - between / self.variants, self.variants - 1, self.among_variants, 1.0),
            (1 / measured - between / self.baselines, self.baselines - 1, self.among_baselines, 1.0),
            (between, 1, self.between, 1 / self.variants + 1 / self.baselines),
        ]
        parts = [part for part in parts if part[1]]
        variance = np.maximum(sum(factor * square for factor, _, square, _ in parts), NO_SPREAD**2)
        scatter = sum((factor * square) ** 2 / degrees for factor, degrees, square, _ in parts)
        found = variance**2 / np.maximum(scatter, np.finfo(float).tiny)
        alike = (1 + 1 / measured) ** 2 / sum((f * unit) ** 2 / degrees for f, degrees, _, unit in parts)
        return Error(variance, self._degrees(np.minimum(found, alike)))

    def _of_a_kind(self, square: Floats, arms: int, measured: int) -> Error | None:
        if arms < 2:
            return None
        variance = np.maximum(square * (1 + 1 / measured), NO_SPREAD**2)
        return Error(variance, self._degrees(np.full(square.shape, arms - 1.0)))

    def _degrees(self, a_round: Floats) -> Floats:
        """Return the degrees of all rounds, rounded down; there is never less than one a round."""
        steps = np.floor(np.log(np.maximum(a_round, 1)) / np.log(_STEP) + 1e-9)
        return np.asarray((self.rounds - 1) * _STEP**steps)


def spread(variants: Floats, baselines: Floats) -> Spread:
    """Return the spread of a pool.

    Args:
        variants: Log speeds without gaps. Shape (studies, rounds, variants); two rounds or more.
        baselines: The same of baselines and controls.
    """
    variants, baselines = (kind - kind.mean(axis=1, keepdims=True) for kind in (variants, baselines))
    rounds, (count, measured) = variants.shape[1], (kind.shape[2] for kind in (variants, baselines))
    among = [_among(kind) / (rounds - 1) / max(kind.shape[2] - 1, 1) for kind in (variants, baselines)]
    between = np.zeros(len(variants))
    if count and measured:
        between = ((variants.mean(axis=2) - baselines.mean(axis=2)) ** 2).sum(axis=1) / (rounds - 1)
    return Spread(count, measured, rounds, among[0], among[1], between)


def _among(kind: Floats) -> Floats:
    """Return the sum of squares around the mean of the arms of each round."""
    mean = kind.sum(axis=2, keepdims=True) / max(kind.shape[2], 1)
    return np.asarray(((kind - mean) ** 2).sum(axis=(1, 2)))


def _weight(variants: int, baselines: int, measured: int) -> float:
    """Return the share of the square between the kinds: the variance's own variance is least by it."""
    if 1 in (variants, baselines):
        return 1.0
    a, b = 1 / variants**2 / (variants - 1), 1 / baselines**2 / (baselines - 1)
    return (variants * a + baselines / measured * b) / (a + b + (1 / variants + 1 / baselines) ** 2)
