"""Rules about speed, time per token and requests in flight, of which two give the third. Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.report import Finding, Kind
from sweetspot.analyse.audit.rows import Row

MEANS = 1.25  # a mean of speeds may exceed the inverse of a mean of times by as much
RAW = 1e-4  # last digits smaller than this are a program's, often means of each request's own speed
_LOAD = re.compile(
    r"concurren|batch|parallel|streams|users|in flight|requests|\bqps\b|并发|同時", re.IGNORECASE
)


class _Case(NamedTuple):
    """A row whose speed follows from two other figures of it."""

    row: Row
    speed: Figure
    quotient: Interval  # of the speed over what follows: 1, or less if some time was spent otherwise
    follows: str  # what the speed should be, and from what
    terms: tuple[str, ...]


def time_per_token(facts: Facts) -> Iterator[Finding]:
    """Tokens a second can't exceed requests in flight over the time a token takes."""
    cause = "figures of different runs, or of another number of requests in flight"
    for rows in facts.tables:
        cases = [case for row in rows if (case := _by_time_per_token(row))]
        usual = _most_fit(cases, 0.02)
        none_fits = len(cases) > 1 and not any(_fits(case, 0.02) for case in cases)
        if none_fits and all(case.quotient.meets(cases[0].quotient, 0.05) for case in cases):
            continue  # all are off by one factor: requests in flight that nobody mentions
        for case in cases:
            row, quotient = case.row, case.quotient
            in_table = row.kind == "table"
            exact = usual and in_table and case.speed.step >= RAW
            above = quotient.low > (1.08 if exact else MEANS) and (exact or row.batch is not None)
            below = quotient.high < 0.92 and exact
            untold = in_table and row.batch is None and not _LOAD.search(facts.text)
            if above or below:
                yield _finding("contradiction", "time-per-token", case, cause)
            elif untold and quotient.low > MEANS:
                yield _finding("warning", "time-per-token", case, cause)


def request_time_per_token(facts: Facts) -> Iterator[Finding]:
    """The speed of one request is the inverse of the time that its tokens take, where other rows say so."""
    for rows in facts.tables:
        cases = [case for row in rows if row.kind == "table" and (case := _by_own_time_per_token(row))]
        for case in cases if _most_fit(cases, 0.02) else ():
            if not _fits(case, 0.08):
                cause = "one of the two was changed, or belongs to another load"
                yield _finding("contradiction", "time-per-token", case, cause)


def requests_in_flight(facts: Facts) -> Iterator[Finding]:
    """The speed of all requests can't exceed that of one times their number."""
    for rows in facts.tables:
        cases = [case for row in rows if (case := _by_requests(row))]
        usual = _most_fit(cases, 0.03)
        for case in cases:
            above = case.quotient.low > (1.1 if case.row.kind == "table" else MEANS)
            if above or (usual and case.quotient.high < 0.9):
                yield _finding("contradiction", "requests-in-flight", case, "a column of another load")


def _by_time_per_token(row: Row) -> _Case | None:
    """Return the speed of all requests beside requests over time a token, if a row tells one of each."""
    speeds, tpots = row.measured.get("tokens_per_s", []), row.measured.get("tpot_s", [])
    if len(speeds) != 1 or len(tpots) != 1 or row.kind == "bench_speculative":
        return None
    speed, tpot = speeds[0].figure, tpots[0].figure
    if tpot.low <= 0:
        return None
    product, requests = speed.interval.times(tpot.interval), speeds[0].batch or row.batch or 1
    return _Case(
        row,
        speed,
        Interval(product.low / requests, product.high / requests),
        f"{requests} / {_ms(tpot)} is {requests / tpot.low:.4g} tok/s",
        (speed.text, _ms(tpot)),
    )


def _by_own_time_per_token(row: Row) -> _Case | None:
    """Return the speed of one request beside 1 over time a token."""
    speed, tpot = row.first("request_tokens_per_s"), row.first("tpot_s")
    if speed is None or tpot is None or tpot.low <= 0:
        return None
    follows = f"1 / {_ms(tpot)} is {1 / tpot.low:.4g} tok/s"
    return _Case(row, speed, speed.interval.times(tpot.interval), follows, (speed.text, _ms(tpot)))


def _by_requests(row: Row) -> _Case | None:
    """Return the speed of all requests beside that of one times their number."""
    speed, each = row.first("tokens_per_s"), row.first("request_tokens_per_s")
    if speed is None or each is None or not row.batch or each.low <= 0:
        return None
    return _Case(
        row,
        speed,
        speed.interval.over(Interval(each.interval.low * row.batch, each.interval.high * row.batch)),
        f"{row.batch} requests x {each.text} = {row.batch * each.low:.4g} tok/s",
        (speed.text, each.text, str(row.batch)),
    )


def _fits(case: _Case, within: float) -> bool:
    return case.quotient.meets(Interval(1, 1), within)


def _most_fit(cases: Sequence[_Case], within: float) -> bool:
    """Return whether at least two cases of a table fit, and all but two at most."""
    return sum(_fits(case, within) for case in cases) >= max(2, len(cases) - 2)


def _finding(kind: Kind, rule: str, case: _Case, cause: str) -> Finding:
    """Return the finding on one speed."""
    message = f"{case.follows}, stated {case.speed.text}"
    return Finding(kind, rule, case.speed.place, case.row.called, message, case.terms, cause)


def _ms(time: Figure) -> str:
    return f"{time.low * 1e3:.4g} ms"
