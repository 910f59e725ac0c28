"""Whether a stated accept length includes the bonus token, tried against speed x cycle time. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.rows import Row
from sweetspot.analyse.bonus import BONUS, Counting, possible

Convention = Counting | Literal["neither", "unknown"]
NOISE = 0.03  # relative; what separate measurements of one run may differ by


@dataclass(frozen=True)
class Reading:
    """What the accept length of one row must mean."""

    row: Row
    stated: Figure
    implied: Interval | None  # tokens a cycle for one request, from speed x cycle time
    speed: Figure | None  # that the implied one was computed from
    cycle: Figure | None
    requests: int  # in flight, that the speed was divided by
    convention: Convention

    @property
    def with_bonus(self) -> Interval:
        """The accept length, bonus token included, as the row's figures allow it."""
        if self.implied is not None and self.convention in {"included", "excluded"} and self.stated.is_range:
            return self.implied
        return self.stated.interval.plus(BONUS["excluded"] if self.convention == "excluded" else 0)

    @property
    def ratio(self) -> float:
        """Implied over stated; 1 if there is nothing to compare."""
        if self.implied is None or self.stated.high <= 0:
            return 1.0
        nearest = min(max(self.implied.middle, self.stated.low), self.stated.high)
        return self.implied.middle / nearest if nearest else 1.0


def readings(rows: Iterable[Row]) -> list[Reading]:
    """Return a reading of each row that states an accept length."""
    return [_read(row) for row in rows if row.first("accept_length") is not None]


def implied_lengths(row: Row) -> Iterator[tuple[Interval, Figure, Figure, int]]:
    """Yield tokens a cycle for one request as speed x cycle time, with the two figures and the divisor."""
    for speed, rate, requests in _speeds(row):
        for cycle, length in _cycles(row):
            yield rate.times(length), speed, cycle, requests


def _speeds(row: Row) -> Iterator[tuple[Figure, Interval, int]]:
    """Yield what the speed of one request may be, in tokens a second."""
    for item in row.measured.get("tokens_per_s", []):
        batch = item.batch or row.batch or 1
        for requests in sorted({1, batch}):
            interval = item.figure.interval
            yield item.figure, Interval(interval.low / requests, interval.high / requests), requests
    for item in row.measured.get("request_tokens_per_s", []):
        yield item.figure, item.figure.interval, 1
    for item in row.measured.get("tpot_s", []):
        if item.figure.low > 0:
            yield item.figure, Interval(1, 1).over(item.figure.interval), 1


def _cycles(row: Row) -> Iterator[tuple[Figure, Interval]]:
    """Yield the seconds that a cycle may take."""
    for item in row.measured.get("cycle_s", []):
        yield item.figure, item.figure.interval
    for item in row.measured.get("cycles_per_s", []):
        if item.figure.low > 0:
            yield item.figure, Interval(1, 1).over(item.figure.interval)


def _read(row: Row) -> Reading:
    """Return the reading of one row."""
    stated = row.first("accept_length")
    assert stated is not None
    candidates = list(implied_lengths(row))
    for convention, more in BONUS.items():
        fitting = [c for c in candidates if c[0].meets(stated.interval.plus(more), NOISE)]
        if fitting and (convention == "included" or stated.high > 0):
            best = min(fitting, key=lambda c: abs(c[0].middle - stated.low - more))
            return Reading(row, stated, *best, convention)
    by_bounds: Convention = "neither" if candidates else "unknown"
    within = possible(stated.interval.high, stated.high - stated.step, row.drafts)
    if within == ["excluded"]:
        by_bounds = "excluded"
    elif not candidates and "excluded" not in within:
        by_bounds = "included"
    if not candidates:
        return Reading(row, stated, None, None, None, 1, by_bounds)
    best = min(candidates, key=lambda c: abs(c[0].middle / max(stated.high, 1e-9) - 1))
    return Reading(row, stated, *best, by_bounds)
