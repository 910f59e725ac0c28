"""Which speeds may be compared, and how exactly: the unit is the launch.

A design is the speeds of all variants at one load, one number a variant and round, as logarithms. Variants in
one launch share its start, so their difference holds only what varies inside a start. Variants in launches of
their own do not, so their difference holds what varies from start to start. Each of these is a pool with a
spread of its own (see spread.py). No difference of a variant that stands out of its pool rests on the pool
alone. Pure.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sweetspot.analyse.spread import Error, Floats, Spread, spread, stand_out

Row = dict[str, Any]
Indices = tuple[int, ...]

_NO_ERROR = 1e-9  # ASSUME: no difference is known better, as in spread.py


@dataclass(frozen=True)
class Difference:
    """Log speed of a variant less the mean of its references, over the rounds that have them all."""

    centre: Floats  # (studies,)
    references: Indices
    rounds: Indices
    own_error: Floats  # (studies,); standard error by its own spread, rounds - 1 degrees; nan for one round
    pool: Indices  # the arms whose spread is pooled; empty if none can be
    pooled_error: Floats  # (studies,); nan if there is no pool
    freedom: Floats  # (studies,), of the pool
    holds: NDArray[np.bool_]  # (studies,); whether the pool is enough to go by


@dataclass(frozen=True)
class _Pool:
    """Arms that scatter for the same reasons."""

    spread: Spread
    noisy: dict[int, NDArray[np.bool_]]  # by variant: whether it stands out, (studies,)


class Design:
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

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Self:
        """Return the design of the summary's *rows* of one load, an arm a row."""
        rounds = max(len(row["decode_tokens_per_s_by_round"] or []) for row in rows)
        speeds = [row["decode_tokens_per_s_by_round"] or [None] * rounds for row in rows]
        logs = np.log(np.array(speeds, dtype=np.float64).T)  # (rounds, arms); None is nan
        baselines = [arm for arm, row in enumerate(rows) if not row["num_steps"]]
        return cls(logs[None], [row["launch"] or row["variant"] for row in rows], baselines)

    def difference(self, arm: int, *references: int) -> Difference | None:
        """Return by how much *arm* is faster than the mean of *references*, or None if no round has all.

        References are baselines if there are several of them.
        """
        there = self.there[:, [arm, *references]].all(axis=1)
        rounds = int(there.sum())
        if not rounds:
            return None
        logs = self.logs[:, there]
        ratios = logs[..., arm] - logs[..., references].mean(axis=-1)  # (studies, rounds)
        unknown = np.full(len(ratios), np.nan)
        own = ratios.std(axis=1, ddof=1) / np.sqrt(rounds) if rounds > 1 else unknown
        arms = self._arms_alike(arm, *references)
        pool = self._pool(arms)
        error = self._error(pool.spread, arm, references) if pool else None
        noisy = [pool.noisy[each] for each in (arm, *references) if each in pool.noisy] if pool else []
        return Difference(
            centre=ratios.mean(axis=1),
            references=references,
            rounds=tuple(np.flatnonzero(there).tolist()),
            own_error=np.maximum(own, _NO_ERROR),
            pool=arms if error else (),
            pooled_error=np.sqrt(error.variance / rounds) if error else unknown,
            freedom=error.freedom if error else unknown,
            holds=~np.any(noisy, axis=0) if noisy else np.full(len(ratios), error is not None),
        )

    def _error(self, spread: Spread, arm: int, references: Indices) -> Error | None:
        speculating = {other not in self.baselines for other in (arm, *references)}
        if len(speculating) > 1:
            return spread.of_both(len(references))
        return spread.of_variants() if speculating.pop() else spread.of_baselines(len(references))

    @cached_property
    def _of_launch(self) -> dict[str, Indices]:
        """Return the arms of each launch."""
        found: dict[str, list[int]] = {}
        for arm, launch in enumerate(self.launches):
            found.setdefault(launch, []).append(arm)
        return {launch: tuple(arms) for launch, arms in found.items()}

    @cached_property
    def _alone(self) -> Indices:
        """Return the arms in launches of their own."""
        return tuple(arms[0] for arms in self._of_launch.values() if len(arms) == 1)

    @cached_property
    def _pools(self) -> dict[Indices, _Pool | None]:
        return {}

    def _arms_alike(self, *arms: int) -> Indices:
        """Return all arms that vary as the differences of these do; none if they differ in that."""
        launches = {self.launches[arm] for arm in arms}
        if len(launches) == 1:
            return self._of_launch[launches.pop()]
        return self._alone if all(len(self._of_launch[name]) == 1 for name in launches) else ()

    def _pool(self, arms: Indices) -> _Pool | None:
        """Return the pool of *arms*, None without two rounds that have them all."""
        if arms not in self._pools:
            measured = [arm for arm in arms if self.there[:, arm].any()]
            complete = self.there[:, measured].all(axis=1)
            logs = self.logs[:, complete]
            variants = [arm for arm in measured if arm not in self.baselines]
            kinds = logs[..., variants], logs[..., [arm for arm in measured if arm in self.baselines]]
            enough = bool(measured) and complete.sum() > 1
            self._pools[arms] = (
                _Pool(spread(*kinds), dict(zip(variants, stand_out(*kinds).T, strict=True)))
                if enough
                else None
            )
        return self._pools[arms]
