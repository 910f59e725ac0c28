"""Compares every variant of one load with its baseline, and answers for all comparisons together.

Of studies in which nothing differs, at most 5 % have any interval that leaves 1 out, however many variants
they compare. Comparisons that pool a spread are tested step by step (step-down Dunnett): the clearest
against the largest of all, the next against the largest of those left, until one fails. An interval is as
wide as the step at which its comparison was tested, so it leaves 1 out exactly if the verdict says so. What
has no such pool is tested by itself, at its share of the 5 %; what contradicts it, both ways. Pure.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit  # type: ignore[import-untyped]

from sweetspot.analyse.design import Design, Difference, Floats, Indices
from sweetspot.analyse.dunnett import Sizes, critical, exceeds

Group = tuple[int, int]  # which, and how often its baseline was measured in a round

LEVEL = 0.05  # of false claims, over all comparisons of a load


@dataclass(frozen=True)
class Family:
    """All comparisons of a load."""

    differences: dict[int, Difference]  # by arm

    def half_widths(self) -> dict[int, Floats]:
        """Return half the width of each interval, of a log ratio. Shape (studies,); nan for one round."""
        share = LEVEL / max(len(self.differences), 1)
        found = {}
        for arm, difference in self.differences.items():
            freedom = len(difference.rounds) - 1
            found[arm] = difference.own_error * (stdtrit(freedom, 1 - share / 2) if freedom else np.nan)
        for pool in self._pools():
            errors = np.stack([self.differences[arm].pooled_error for arm in pool], axis=1)
            centres = np.stack([self.differences[arm].centre for arm in pool], axis=1)
            freedom = self.differences[pool[0]].freedom
            limits = _step_down(np.abs(centres) / errors, self._groups(pool), freedom, share * len(pool))
            for arm, width in zip(pool, (limits * errors).T, strict=True):
                wider = np.maximum(width, found[arm])
                found[arm] = np.where(self.differences[arm].pooled, width, wider)
        return found

    def p_values(self) -> dict[int, float]:
        """Return the adjusted p-value of each comparison of the first study; none for one round."""
        found = {}
        for arm, difference in self.differences.items():
            freedom = len(difference.rounds) - 1
            if freedom:
                t = abs(difference.centre[0]) / difference.own_error[0]
                alone = 2 * float(stdtr(freedom, -t))
                found[arm] = min(1.0, alone * len(self.differences))
        for pool in self._pools():
            for arm, chance in self._stepped_p_values(pool).items():
                found[arm] = chance if self.differences[arm].pooled[0] else max(chance, found[arm])
        return found

    def _stepped_p_values(self, pool: Indices) -> dict[int, float]:
        """Return the p-values of *pool*: none is smaller than that of a clearer comparison."""
        t = {a: abs(self.differences[a].centre[0]) / self.differences[a].pooled_error[0] for a in pool}
        freedom = self.differences[pool[0]].freedom
        left = sorted(pool, key=lambda arm: -t[arm])
        found, so_far = {}, 0.0
        while left:
            chance = exceeds(float(t[left[0]]), _sizes(self._groups(left)), freedom)
            so_far = min(1.0, max(so_far, chance * len(self.differences) / len(pool)))
            found[left.pop(0)] = so_far
        return found

    def _pools(self) -> list[Indices]:
        """Return the arms of each family that pools a spread."""
        pools = {difference.arms for difference in self.differences.values() if difference.arms}
        return [tuple(a for a, d in self.differences.items() if d.arms == pool) for pool in sorted(pools)]

    def _groups(self, pool: Sequence[int]) -> list[Group]:
        """Return for each of *pool* what correlates it: its references, in rounds that it shares."""
        keys = [(self.differences[arm].references, self.differences[arm].rounds) for arm in pool]
        return [(keys.index(key), len(key[0])) for key in keys]


def family(design: Design, references: Mapping[int, Sequence[int]]) -> Family:
    """Return the comparisons of the arms in *references* with theirs, where a round has them all."""
    found = {arm: design.difference(arm, *others) for arm, others in references.items()}
    return Family({arm: difference for arm, difference in found.items() if difference})


def _sizes(groups: Iterable[Group]) -> Sizes:
    return tuple(sorted((count, measured) for (_, measured), count in Counter(groups).items()))


def _step_down(t: Floats, groups: Sequence[Group], freedom: int, level: float) -> Floats:
    """Return the limit that each comparison was held against.

    Args:
        t: Shape (studies, comparisons), at least 0.
        groups: What is correlated. Shape (comparisons,).
        freedom: Of the shared spread.
        level: Of false claims.

    Returns:
        A comparison is a finding if its t is above its limit. Shape (studies, comparisons).
    """
    order = np.argsort(-t, axis=1, kind="stable")
    limits, limit = np.empty_like(t), np.zeros(len(t))
    finding: NDArray[np.bool_] = np.ones(len(t), dtype=bool)
    for step in range(t.shape[1]):
        at = order[:, step : step + 1]
        left, of_study = np.unique(np.sort(order[:, step:], axis=1), axis=0, return_inverse=True)
        fresh = np.array([critical(level, _sizes(groups[i] for i in row), freedom) for row in left])
        limit = np.where(finding, fresh[of_study.ravel()], limit)
        np.put_along_axis(limits, at, limit[:, None], axis=1)
        finding &= np.take_along_axis(t, at, axis=1)[:, 0] > limit
    return limits
