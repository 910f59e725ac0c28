"""Chooses among judged rows of one load: the winner, what it can't be told from, and what is still open.

The winner must beat every baseline, that of the fastest NCCL variant too; if nothing does, a baseline is
used. The sweet spot is what may win and is not known to be slower than anything else that may (Hsu's
multiple comparisons with the best); in it, fewer steps win, then the plainer NCCL variant, which stands
earlier in the plan. Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri, stdtrit  # type: ignore[import-untyped]

from sweetspot.analyse.arms import Indices
from sweetspot.analyse.design import Design, Difference, Row
from sweetspot.analyse.dunnett import critical
from sweetspot.analyse.speedup_columns import repeats
from sweetspot.analyse.speedups import LEVEL

WORTHWHILE = 0.01  # a smaller gain is not looked for with more rounds
CHANCE = 0.8  # with which the rounds asked for find what was observed
_ENOUGH = 3  # rounds, where one gave no spread to go by
_MOST = 100_000  # rounds


@dataclass(frozen=True)
class Decision:
    """What to use at a load."""

    winner: Row | None  # None if no baseline was measured
    eligible: list[Row]  # what may win
    fastest: Row | None  # of these, as measured
    sweet_spot: list[Row]  # in the order of the plan, the winner included
    more_rounds: dict[str, int]  # by variant: how many more would settle what is open about it


def decide(rows: Sequence[Row]) -> Decision:
    """Return what to use.

    Args:
        rows: Of the summary, all those of one load, each with its `verdict`.
    """
    comparer = _Comparer(rows)
    baselines = [row for row in rows if row["verdict"] == "reference" and _measured(row)]
    tested = [row for row in rows if row["verdict"] in ("faster", "slower", "unclear") and _measured(row)]
    rivals = [row for row in tested if not row["control"]]
    proven = [row for row in rivals if comparer.beats_all(row, baselines, len(tested))]
    eligible = proven or baselines
    fastest = max(eligible, key=lambda row: row["decode_tokens_per_s"], default=None)
    spot = [row for row in eligible if row is fastest or not comparer.slower_than_any(row, eligible)]
    nccl = list(dict.fromkeys(row["nccl"] for row in rows))
    winner = min(spot, key=lambda row: (row["num_steps"], nccl.index(row["nccl"])), default=None)
    wanted = {row["variant"]: comparer.rounds_behind(row, fastest, len(eligible) - 1) for row in spot}
    wanted |= {
        row["variant"]: comparer.open_rounds(row, baselines, len(tested)) for row in rivals if row not in spot
    }
    more = {variant: rounds for variant, rounds in wanted.items() if rounds}
    return Decision(winner, eligible, fastest, spot, more)


def _measured(row: Row) -> bool:
    return row["decode_tokens_per_s"] is not None


class _Comparer:
    """Tells rows of one load apart. A baseline is known by its own launches and those of its controls."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._design = Design.of(rows)
        self._arms = {
            row["variant"]: (arm,) if row["num_steps"] or row["control"] else repeats(rows, arm)
            for arm, row in enumerate(rows)
        }
        self._known: dict[tuple[Indices, Indices], Difference | None] = {}
        self._between_servers = np.log1p(max((row["resolution"] or 0.0 for row in rows), default=0.0))

    def beats_all(self, row: Row, baselines: Sequence[Row], comparisons: int) -> bool:
        """Return whether *row* is faster than its own baseline by its verdict, and than every other.

        With several baselines each must fall at the largest of all comparisons: then the chance that
        anything wins wrongly over the best of them is that of one family.
        """
        if row["verdict"] != "faster":
            return False
        return len(baselines) < 2 or all(self.slower(other, row, comparisons) for other in baselines)

    def slower_than_any(self, row: Row, others: Sequence[Row]) -> bool:
        """Return whether *row*, one of *others*, is known to be slower than another of them."""
        return any(self.slower(row, other, len(others) - 1) for other in others if other is not row)

    def slower(self, row: Row, than: Row, comparisons: int) -> bool:
        """Return whether *row* is known to be slower, as one of so many *comparisons*."""
        found = self._difference(than, row)
        if found is None or found.centre[0] < self._finest(row, than):
            return False
        return bool(found.centre[0] > _half_width(found, comparisons))

    def open_rounds(self, row: Row, baselines: Sequence[Row], comparisons: int) -> int:
        """Return how many more rounds would settle where *row* stands to the baselines, 0 if none."""
        if row["verdict"] == "slower" or any(self.slower(row, other, comparisons) for other in baselines):
            return 0
        rivals = [other for other in baselines if not self.slower(other, row, comparisons)]
        return max((self._missing_rounds(row, other, comparisons) for other in rivals), default=0)

    def rounds_behind(self, row: Row, fastest: Row | None, comparisons: int) -> int:
        """Return how many more rounds would tell *row* from the *fastest*, 0 if it is hardly behind."""
        if fastest is None or row is fastest:
            return 0
        found = self._difference(fastest, row)
        if found is None or found.centre[0] < np.log1p(WORTHWHILE):
            return 0
        return self._missing_rounds(fastest, row, comparisons)

    def _missing_rounds(self, row: Row, other: Row, comparisons: int) -> int:
        """Return how many more rounds would tell the two apart, 0 if no number would."""
        found = self._difference(row, other)
        if found is None or abs(found.centre[0]) < self._finest(row, other):
            return 0
        return _rounds_to_tell(found, comparisons)

    def _finest(self, row: Row, other: Row) -> float:
        """Return the difference below which nothing is claimed of the two, as a logarithm."""
        return self._between_servers if row["launch"] != other["launch"] else 0.0

    def _difference(self, row: Row, other: Row) -> Difference | None:
        pair = (self._arms[row["variant"]][:1], self._arms[other["variant"]])
        if pair not in self._known:
            self._known[pair] = self._design.difference(*pair[0], *pair[1])
        return self._known[pair]


def _half_width(difference: Difference, comparisons: int) -> float:
    """Return half the width of the interval of one of so many *comparisons*; nan for one round."""
    freedom = len(difference.rounds) - 1
    limit = stdtrit(freedom, 1 - LEVEL / 2 / comparisons) if freedom else np.nan
    alone = float(limit * difference.own_error[0])
    if not difference.pool:
        return alone
    limit = critical(LEVEL, ((comparisons, len(difference.references)),), float(difference.freedom[0]))
    pooled = limit * float(difference.pooled_error[0])
    return pooled if difference.holds[0] else max(pooled, alone)


def _rounds_to_tell(difference: Difference, comparisons: int) -> int:
    """Return how many more rounds find what was observed, or show that it is less than is worthwhile."""
    rounds = len(difference.rounds)
    if rounds == 1:
        return _ENOUGH - 1
    holds = bool(difference.holds[0])
    error = float((difference.pooled_error if holds else difference.own_error)[0])
    freedom_a_round = float(difference.freedom[0]) / (rounds - 1) if holds else 1.0
    sought = max(abs(float(difference.centre[0])), np.log1p(WORTHWHILE))

    def suffices(count: int) -> bool:
        freedom = freedom_a_round * (count - 1)
        limit = critical(LEVEL, ((comparisons, 1),), freedom) + float(ndtri(CHANCE))
        return bool(limit * error * np.sqrt(rounds / count) <= sought)

    low, high = rounds, rounds  # the answer is above low and at most high
    while high < _MOST and not suffices(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high - rounds
