"""Which arms of one load scatter alike, and so how well a difference of two is known.

Arms of one launch share its start, so their difference holds only what varies inside a start. Arms in
launches of their own do not, so their difference holds what varies from start to start. Each of these is a
pool with a spread of its own (see spread.py). So is the difference of arms in two launches that others share
(see starts.py). Pure.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri  # type: ignore[import-untyped]

from sweetspot.analyse.spread import Error, Floats, Spread, spread
from sweetspot.analyse.starts import from_launch_to_launch, less

Indices = tuple[int, ...]

CONTRADICTION = 0.05  # of studies in which all variants scatter alike, the share in which any stands out


class Arms:
    """The log speeds of one load.

    Args:
        logs: Shape (studies, rounds, arms); nan where a round is missing, alike in all studies.
        launches: Launch of each arm.
        baselines: Arms that don't speculate, controls included.
    """

    def __init__(self, logs: Floats, launches: Sequence[str], baselines: Collection[int]) -> None:
        self.logs = logs
        self.launches = tuple(launches)
        self.baselines = frozenset(baselines)
        self.there = np.isfinite(logs[0])  # (rounds, arms)
        self._spreads: dict[tuple[Indices, Indices], Spread] = {}
        self._scatters: dict[tuple[Indices, Indices], Error | None] = {}

    def alike(self, arm: int, references: Indices, rounds: Indices) -> Indices:
        """Return all arms with these *rounds* that vary as this difference does; none if only it does so."""
        of_arm, others = self.launches[arm], [self.launches[each] for each in references]
        complete = np.flatnonzero(self.there[list(rounds)].all(axis=0)).tolist()
        if {of_arm} == set(others):
            return tuple(each for each in complete if self.launches[each] == of_arm)
        if not all(self._alone(each) for each in (arm, *references)):
            return () if of_arm in others else tuple(complete)
        surer = frozenset() if arm in self.baselines else self.baselines - {*references}  # or may be
        return tuple(each for each in complete if self._alone(each) and each not in surer)

    def spread(self, arms: Indices, rounds: Indices) -> Spread:
        """Return the spread of *arms* of one launch, or of a launch each."""
        if (arms, rounds) not in self._spreads:
            kinds = ([each for each in arms if (each in self.baselines) == kind] for kind in (False, True))
            self._spreads[arms, rounds] = spread(*(self.logs[:, rounds][..., kind] for kind in kinds))
        return self._spreads[arms, rounds]

    def scatter(self, arms: Indices, rounds: Indices) -> Error | None:
        """Return how *arms* of one kind scatter from launch to launch, None if they are of one."""
        if (arms, rounds) not in self._scatters:
            logs, launches = self.logs[:, rounds][..., arms], [self.launches[each] for each in arms]
            self._scatters[arms, rounds] = from_launch_to_launch(logs, launches)
        return self._scatters[arms, rounds]

    def _alone(self, arm: int) -> bool:
        return self.launches.count(self.launches[arm]) == 1


@dataclass(frozen=True)
class Pool:
    """What a difference has in common with others: its arms scatter as the pool's do, in its rounds."""

    among: Arms
    arm: int
    references: Indices
    rounds: Indices

    @cached_property
    def arms(self) -> Indices:
        """All that scatter alike, those of the difference among them; none if the pool is empty."""
        return self.among.alike(self.arm, self.references, self.rounds)

    def error(self, without: Collection[int] = ()) -> Error | None:
        """Return how well the difference of one round is known, *without* some arms; None if it is not."""
        arms = tuple(each for each in self.arms if each not in without)
        if not arms or len(self.rounds) < 2:
            return None
        baselines = self.among.baselines
        one, other = (each in baselines for each in (self.arm, self.references[0]))
        if len(self._launches(self.arms)) not in (1, len(self.arms)):
            kinds = [tuple(each for each in arms if (each in baselines) == kind) for kind in (one, other)]
            of_arm, of_references = (self.among.scatter(kind, self.rounds) for kind in kinds)
            return less(of_arm, of_references, len(self._launches(self.references)))
        found, measured = self.among.spread(arms, self.rounds), len(self.references)
        if one != other:
            return found.of_both(measured)
        return found.of_baselines(measured) if one else found.of_variants()

    def allows(self, variance: Floats) -> NDArray[np.bool_]:
        """Return whether a *variance* of the difference is no larger than that of others (F test, one-sided).

        Others are all without the arm, without its references, and without the launches of either.
        """
        allowed = np.full(len(variance), True)
        baselines = self.among.baselines
        of_its_kind = sum((each in baselines) == (self.arm in baselines) for each in self.arms)
        for own in ((self.arm,), self.references):
            launches = self._launches(own)
            for without in (own, [each for each in self.arms if self.among.launches[each] in launches]):
                others = self.error(without)
                if others is not None:
                    limit = fdtri(len(self.rounds) - 1, others.freedom, 1 - CONTRADICTION / of_its_kind)
                    allowed &= variance <= limit * others.variance
        return allowed

    def _launches(self, arms: Indices) -> set[str]:
        return {self.among.launches[each] for each in arms}
