"""Which speeds may be compared, and how exactly: the unit is the launch.

A design is the speeds of all variants at one load, one number a variant and round, as logarithms. How well
a difference is known is told by all arms that scatter alike (see arms.py). None that spreads more than the
others rests on these alone. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sweetspot.analyse.arms import Arms, Indices, Pool
from sweetspot.analyse.spread import NO_SPREAD, Floats

Row = dict[str, Any]


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


class Design(Arms):
    """The log speeds of one load, and how far apart they are."""

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
        rounds = tuple(np.flatnonzero(there).tolist())
        if not rounds:
            return None
        logs = self.logs[:, there]
        ratios = logs[..., arm] - logs[..., references].mean(axis=-1)  # (studies, rounds)
        unknown = np.full(len(ratios), np.nan)
        own = ratios.std(axis=1, ddof=1) / np.sqrt(len(rounds)) if len(rounds) > 1 else unknown
        own = np.maximum(own, NO_SPREAD)
        pool = Pool(self, arm, references, rounds)
        error = pool.error()
        holds = np.zeros(len(ratios), dtype=bool) if error is None else pool.allows(own**2 * len(rounds))
        return Difference(
            centre=ratios.mean(axis=1),
            references=references,
            rounds=rounds,
            own_error=own,
            pool=() if error is None else pool.arms,
            pooled_error=unknown if error is None else np.sqrt(error.variance / len(rounds)),
            freedom=unknown if error is None else error.freedom,
            holds=holds,
        )
