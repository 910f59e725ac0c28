"""Which speeds may be compared, and how exactly: the unit is the launch.

A design is the speeds of all variants at one load, one number a variant and round, as logarithms. Variants in
one launch share its start, so their difference holds only what varies inside a start. Variants in launches of
their own do not, so their difference holds what varies from start to start. Each kind has its own spread:
what is left of the speeds after each variant's mean and each round's mean are taken out, pooled over the
variants. If the variants' spreads contradict each other, no difference may rest on the pool alone. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc  # type: ignore[import-untyped]

Floats = NDArray[np.float64]
Row = dict[str, Any]
Indices = tuple[int, ...]

CONTRADICTION = 0.05  # level at which the spreads of variants are said to differ
_NO_SPREAD = 1e-9  # ASSUME: no speed is known better; keeps rounding of equal numbers from being a finding


@dataclass(frozen=True)
class Spread:
    """Standard deviation of one log speed, of several studies at once."""

    deviation: Floats  # (studies,)
    freedom: int
    alike: NDArray[np.bool_]  # (studies,); whether the variants' own spreads agree


@dataclass(frozen=True)
class Difference:
    """Log speed of a variant less the mean of its references, over the rounds that have them all."""

    centre: Floats  # (studies,)
    references: Indices
    rounds: Indices
    own_error: Floats  # (studies,); standard error by its own spread, rounds - 1 degrees; nan for one round
    arms: Indices  # whose spread is pooled; empty if none can be
    pooled_error: Floats  # (studies,); nan if there is no pool
    freedom: int  # of the pool
    pooled: NDArray[np.bool_]  # (studies,); whether the pool holds


class Design:
    """The log speeds of one load.

    Args:
        logs: Shape (studies, rounds, arms); nan where a round is missing, alike in all studies.
        launches: Launch of each arm.
    """

    def __init__(self, logs: Floats, launches: Sequence[str]) -> None:
        self.logs = logs
        self.launches = tuple(launches)
        self.there = np.isfinite(logs[0])  # (rounds, arms)

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Self:
        """Return the design of the summary's *rows* of one load, an arm a row."""
        rounds = max(len(row["decode_tokens_per_s_by_round"] or []) for row in rows)
        speeds = [row["decode_tokens_per_s_by_round"] or [None] * rounds for row in rows]
        logs = np.log(np.array(speeds, dtype=np.float64).T)  # (rounds, arms); None is nan
        return cls(logs[None], [row["launch"] or row["variant"] for row in rows])

    def difference(self, arm: int, *references: int) -> Difference | None:
        """Return by how much *arm* is faster than the mean of *references*, or None if no round has all."""
        there = self.there[:, [arm, *references]].all(axis=1)
        rounds = int(there.sum())
        if not rounds:
            return None
        logs = self.logs[:, there]
        ratios = logs[..., arm] - logs[..., references].mean(axis=-1)  # (studies, rounds)
        unknown = np.full(len(ratios), np.nan)
        own = ratios.std(axis=1, ddof=1) / np.sqrt(rounds) if rounds > 1 else unknown
        arms = self._pool(arm, *references)
        spread = self._spread(arms)
        widening = np.sqrt((1 + 1 / len(references)) / rounds)
        return Difference(
            centre=ratios.mean(axis=1),
            references=references,
            rounds=tuple(np.flatnonzero(there).tolist()),
            own_error=np.maximum(own, _NO_SPREAD),
            arms=arms if spread else (),
            pooled_error=spread.deviation * widening if spread else unknown,
            freedom=spread.freedom if spread else 0,
            pooled=spread.alike if spread else np.zeros(len(ratios), dtype=bool),
        )

    @cached_property
    def _spreads(self) -> dict[Indices, Spread | None]:
        return {}

    def _pool(self, *arms: int) -> Indices:
        """Return all arms that vary as the differences of these do; none if they differ in that."""
        launches = {self.launches[arm] for arm in arms}
        if len(launches) == 1:
            return tuple(i for i, name in enumerate(self.launches) if name in launches)
        alone = tuple(i for i, name in enumerate(self.launches) if self.launches.count(name) == 1)
        return alone if set(arms) <= set(alone) else ()

    def _spread(self, arms: Indices) -> Spread | None:
        """Return the pooled spread of *arms*, None without two rounds that have them all."""
        if arms not in self._spreads:
            measured = [arm for arm in arms if self.there[:, arm].any()]
            complete = self.there[:, measured].all(axis=1)
            enough = len(measured) > 1 and complete.sum() > 1
            self._spreads[arms] = spread(self.logs[:, complete][..., measured]) if enough else None
        return self._spreads[arms]


def spread(logs: Floats) -> Spread:
    """Return the spread of *logs* around the means of their rounds and their arms.

    Args:
        logs: Shape (studies, rounds, arms), without gaps; two rounds and two arms or more.
    """
    _, rounds, arms = logs.shape
    rest = logs - logs.mean(axis=1, keepdims=True) - logs.mean(axis=2, keepdims=True)
    rest = rest + logs.mean(axis=(1, 2), keepdims=True)
    freedom = (rounds - 1) * (arms - 1)
    deviation = np.maximum(np.sqrt((rest**2).sum(axis=(1, 2)) / freedom), _NO_SPREAD)
    return Spread(deviation, freedom, _alike(rest) if arms > 2 else np.ones(len(logs), dtype=bool))


def _alike(rest: Floats) -> NDArray[np.bool_]:
    """Return whether the arms of *rest* may have one spread, by Bartlett's test.

    Args:
        rest: What means don't explain. Shape (studies, rounds, arms).
    """
    _, rounds, arms = rest.shape
    variances = np.maximum(rest.var(axis=1, ddof=1), _NO_SPREAD**2)  # (studies, arms)
    pooled = np.log(variances.mean(axis=1)) - np.log(variances).mean(axis=1)
    statistic = (rounds - 1) * arms * pooled / (1 + (arms + 1) / (3 * arms * (rounds - 1)))
    return np.asarray(chdtrc(arms - 1, statistic) >= CONTRADICTION)
