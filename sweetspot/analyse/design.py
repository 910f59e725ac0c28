"""Which speeds may be compared, and how exactly: the unit is the launch.

A design is the speeds of all variants at one load, one number a variant and round, as logarithms. Variants in
one launch share its start, so their difference holds only what varies inside a start. Variants in launches of
their own do not, so their difference holds what varies from start to start. Each of these is a pool with a
spread of its own (see spread.py). So is the difference of variants in two launches that others share (see
starts.py). No difference of a variant that stands out of its pool rests on the pool alone. Pure.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtri  # type: ignore[import-untyped]

from sweetspot.analyse.spread import CONTRADICTION, Error, Floats, Spread, spread, stand_out
from sweetspot.analyse.starts import from_launch_to_launch, less

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
class _Known:
    """What the arms that scatter alike tell of a difference in one round."""

    arms: Indices
    error: Error
    holds: NDArray[np.bool_]  # (studies,)


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
        own = np.maximum(own, _NO_ERROR)
        known = self._from_pool(arm, references) or self._from_starts(arm, references, own**2 * rounds)
        return Difference(
            centre=ratios.mean(axis=1),
            references=references,
            rounds=tuple(np.flatnonzero(there).tolist()),
            own_error=own,
            pool=known.arms if known else (),
            pooled_error=np.sqrt(known.error.variance / rounds) if known else unknown,
            freedom=known.error.freedom if known else unknown,
            holds=known.holds if known else np.zeros(len(ratios), dtype=bool),
        )

    def _from_pool(self, arm: int, references: Indices) -> _Known | None:
        """Return what is known from arms that share one launch, or all have launches of their own."""
        arms = self._arms_alike(arm, *references)
        pool = self._pool(arms)
        error = self._error(pool.spread, arm, references) if pool else None
        if pool is None or error is None:
            return None
        noisy = [pool.noisy[each] for each in (arm, *references) if each in pool.noisy]
        return _Known(arms, error, ~np.any(noisy, axis=0) if noisy else np.full(len(self.logs), True))

    def _from_starts(self, arm: int, references: Indices, own: Floats) -> _Known | None:
        """Return what is known from all arms of two launches or more, of which others share some.

        Args:
            arm: That is compared.
            references: With which.
            own: The variance of the difference by itself. Shape (studies,).
        """
        launches = {self.launches[each] for each in (arm, *references)}
        if len(launches) <= len(references):  # some of them share a start, and some don't
            return None
        error = self._less(arm, references)
        if error is None:
            return None
        others = self._less(arm, references, without=self.launches[arm])
        if others is None:
            return _Known(self._measured, error, np.full(len(own), True))
        degrees = float(self._complete.sum()) - 1
        limit = fdtri(degrees, others.freedom, 1 - CONTRADICTION / len(self._measured))
        return _Known(self._measured, error, own <= limit * others.variance)

    def _less(self, arm: int, references: Indices, without: str | None = None) -> Error | None:
        return less(
            self._scatter(arm in self.baselines, without),
            self._scatter(references[0] in self.baselines, without),
            len(references),
        )

    def _scatter(self, baseline: bool, without: str | None) -> Error | None:
        """Return how baselines, or the others, scatter from launch to launch, *without* one of these."""
        if (baseline, without) not in self._scatters:
            arms = [
                arm
                for arm in self._measured
                if (arm in self.baselines) == baseline and self.launches[arm] != without
            ]
            logs = self.logs[:, self._complete][..., arms]
            launches = [self.launches[arm] for arm in arms]
            enough = self._complete.sum() > 1
            self._scatters[baseline, without] = from_launch_to_launch(logs, launches) if enough else None
        return self._scatters[baseline, without]

    def _error(self, spread: Spread, arm: int, references: Indices) -> Error | None:
        speculating = {other not in self.baselines for other in (arm, *references)}
        if len(speculating) > 1:
            return spread.of_both(len(references))
        return spread.of_variants() if speculating.pop() else spread.of_baselines(len(references))

    @cached_property
    def _measured(self) -> Indices:
        """Return the arms with any round."""
        return tuple(np.flatnonzero(self.there.any(axis=0)).tolist())

    @cached_property
    def _complete(self) -> NDArray[np.bool_]:
        """Return which rounds have all arms with any. Shape (rounds,)."""
        return np.asarray(self.there[:, self._measured].all(axis=1))

    @cached_property
    def _scatters(self) -> dict[tuple[bool, str | None], Error | None]:
        return {}

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
