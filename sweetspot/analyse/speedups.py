"""Compares every variant of one load with its baseline, and answers for all comparisons together.

Of studies in which nothing differs, at most 5 % have any interval that leaves 1 out, however many variants
they compare. Controls, which are compared with the baseline that they repeat, have a fifth of these 5 %, the
others the rest. Comparisons that pool a spread are tested step by step (step-down Dunnett): the clearest
against the largest of all, the next against the largest of those left, until one fails. An interval is as
wide as the step at which its comparison was tested, so it leaves 1 out exactly if the verdict says so. What
has no such pool is tested by itself, at its share of the level; what stands out of it, both ways. Pure.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit  # type: ignore[import-untyped]

from sweetspot.analyse.arms import Indices
from sweetspot.analyse.design import Design, Difference
from sweetspot.analyse.dunnett import Sizes, critical, exceeds
from sweetspot.analyse.spread import Floats

Group = tuple[int, int]  # which, and how often its baseline was measured in a round

LEVEL = 0.05  # of false claims, over all comparisons of a load
_CONTROLS = 0.2  # of that for controls, where there are any


@dataclass(frozen=True)
class Family:
    """All comparisons of a load."""

    differences: dict[int, Difference]  # by arm
    controls: frozenset[int]

    def half_widths(self) -> dict[int, Floats]:
        """Return half the width of each interval, of a log ratio. Shape (studies,); nan for one round."""
        found = {}
        for arm, difference in self.differences.items():
            freedom = len(difference.rounds) - 1
            limit = stdtrit(freedom, 1 - self._share(arm) / 2) if freedom else np.nan
            found[arm] = difference.own_error * limit
        for pool in self._pools():
            errors = np.stack([self.differences[arm].pooled_error for arm in pool], axis=1)
            centres = np.stack([self.differences[arm].centre for arm in pool], axis=1)
            level = self._share(pool[0]) * len(pool)
            limits = _step_down(np.abs(centres) / errors, self._groups(pool), self._freedom(pool), level)
            for arm, width in zip(pool, (limits * errors).T, strict=True):
                wider = np.maximum(width, found[arm])
                found[arm] = np.where(self.differences[arm].holds, width, wider)
        return found

    def p_values(self) -> dict[int, float]:
        """Return the adjusted p-value of each comparison of the first study; none for one round."""
        found = {}
        for arm, difference in self.differences.items():
            freedom = len(difference.rounds) - 1
            if freedom:
                t = abs(difference.centre[0]) / difference.own_error[0]
                alone = 2 * float(stdtr(freedom, -t))
                found[arm] = min(1.0, alone * LEVEL / self._share(arm))
        for pool in self._pools():
            for arm, chance in self._stepped_p_values(pool).items():
                found[arm] = chance if self.differences[arm].holds[0] else max(chance, found[arm])
        return found

    def _stepped_p_values(self, pool: Indices) -> dict[int, float]:
        """Return the p-values of *pool*: none is smaller than that of a clearer comparison."""
        t = {a: abs(self.differences[a].centre[0]) / self.differences[a].pooled_error[0] for a in pool}
        freedom = float(self._freedom(pool)[0])
        left = sorted(pool, key=lambda arm: -t[arm])
        found, so_far = {}, 0.0
        while left:
            chance = exceeds(float(t[left[0]]), _sizes(self._groups(left)), freedom)
            so_far = min(1.0, max(so_far, chance * LEVEL / self._share(left[0]) / len(pool)))
            found[left.pop(0)] = so_far
        return found

    def _share(self, arm: int) -> float:
        """Return the level at which *arm* would be tested alone: that of its kind is shared out."""
        controls = len(self.controls & self.differences.keys())
        if not controls:
            return LEVEL / len(self.differences)
        if arm in self.controls:
            return LEVEL * _CONTROLS / controls
        return LEVEL * (1 - _CONTROLS) / (len(self.differences) - controls)

    def _pools(self) -> list[Indices]:
        """Return the arms of each family that pools a spread."""
        pools: dict[tuple[Indices, bool], list[int]] = {}
        for arm, difference in self.differences.items():
            if difference.pool:
                pools.setdefault((difference.pool, arm in self.controls), []).append(arm)
        return [tuple(arms) for arms in pools.values()]

    def _freedom(self, pool: Indices) -> Floats:
        """Return the least degrees of freedom of any comparison in *pool*. Shape (studies,)."""
        return np.asarray(np.min([self.differences[arm].freedom for arm in pool], axis=0))

    def _groups(self, pool: Sequence[int]) -> list[Group]:
        """Return for each of *pool* what correlates it: its references, in rounds that it shares."""
        keys = [(self.differences[arm].references, self.differences[arm].rounds) for arm in pool]
        return [(keys.index(key), len(key[0])) for key in keys]


def family(design: Design, references: Mapping[int, Sequence[int]], controls: Collection[int] = ()) -> Family:
    """Return the comparisons of the arms in *references* with theirs, where a round has them all.

    Args:
        design: The speeds.
        references: By arm.
        controls: Arms that are controls, also if they speculate; a baseline with references is one.
    """
    found = {arm: design.difference(arm, *others) for arm, others in references.items()}
    known = {arm: difference for arm, difference in found.items() if difference}
    return Family(known, (design.baselines | set(controls)) & known.keys())


def _sizes(groups: Iterable[Group]) -> Sizes:
    return tuple(sorted((count, measured) for (_, measured), count in Counter(groups).items()))


def _step_down(t: Floats, groups: Sequence[Group], freedom: Floats, level: float) -> Floats:
    """Return the limit that each comparison was held against.

    Args:
        t: Shape (studies, comparisons), at least 0.
        groups: What is correlated. Shape (comparisons,).
        freedom: Of the shared spread. Shape (studies,).
        level: Of false claims.

    Returns:
        A comparison is a finding if its t is above its limit. Shape (studies, comparisons).
    """
    order = np.argsort(-t, axis=1, kind="stable")
    limits, limit = np.empty_like(t), np.zeros(len(t))
    finding: NDArray[np.bool_] = np.ones(len(t), dtype=bool)
    distinct = list(dict.fromkeys(groups))
    place = np.array([distinct.index(group) for group in groups])
    left = np.tile(np.bincount(place), (len(t), 1))  # (studies, groups), comparisons not yet tested
    for step in range(t.shape[1]):
        at = order[:, step]
        cases, of_study = np.unique(np.column_stack([left, freedom]), axis=0, return_inverse=True)
        fresh = np.array([_limit(level, case, distinct) for case in cases])
        limit = np.where(finding, fresh[of_study.ravel()], limit)
        np.put_along_axis(limits, at[:, None], limit[:, None], axis=1)
        finding &= np.take_along_axis(t, at[:, None], axis=1)[:, 0] > limit
        left[np.arange(len(t)), place[at]] -= 1
    return limits


def _limit(level: float, case: Floats, groups: Sequence[Group]) -> float:
    """Return the limit of the comparisons left of each of *groups*, and then the degrees of freedom."""
    left = zip(case[:-1].astype(int).tolist(), groups, strict=True)
    sizes = tuple(sorted((count, measured) for count, (_, measured) in left if count))
    return critical(level, sizes, float(case[-1]))
