"""Rules about speed, time per token and requests in flight, of which two give the third. Pure."""

import re
from collections.abc import Iterator

from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Interval
from sweetspot.analyse.audit.report import Finding
from sweetspot.analyse.audit.rows import Row

MEANS = 1.25  # a mean of speeds may exceed the inverse of a mean of times by as much
RAW = 1e-4  # last digits smaller than this are a program's, often means of each request's own speed
_LOAD = re.compile(
    r"concurren|batch|parallel|streams|users|in flight|requests|\bqps\b|并发|同時", re.IGNORECASE
)


def time_per_token(facts: Facts) -> Iterator[Finding]:
    """Tokens a second can't exceed requests in flight over the time a token takes."""
    for rows in facts.tables:
        known = [(row, quotient) for row in rows if (quotient := _tpot_quotient(row)) is not None]
        fitting = sum(quotient.meets(Interval(1, 1), 0.02) for _, quotient in known)
        one_factor = fitting == 0 and len(known) > 1 and all(q.meets(known[0][1], 0.05) for _, q in known)
        for row, quotient in known:
            printed = row.measured["tokens_per_s"][0].figure.step >= RAW
            usual = printed and row.kind == "table" and fitting >= 2 and fitting >= len(known) - 2
            above = quotient.low > (1.08 if usual else MEANS) and (usual or row.batch is not None)
            below = quotient.high < 0.92 and usual
            alone = (
                row.kind == "table"
                and row.batch is None
                and quotient.low > MEANS
                and not _LOAD.search(facts.text)
            )
            if one_factor or not (above or below or alone):
                continue
            speed, tpot = row.measured["tokens_per_s"][0].figure, row.measured["tpot_s"][0].figure
            yield Finding(
                "contradiction" if above or below else "warning",
                "time-per-token",
                speed.place,
                row.called,
                f"{row.batch or 1} / {tpot.low * 1e3:.4g} ms is {(row.batch or 1) / tpot.low:.4g} tok/s, "
                f"stated {speed.text}",
                (speed.text, f"{tpot.low * 1e3:.4g} ms"),
                "figures of different runs, or of another number of requests in flight",
            )


def request_time_per_token(facts: Facts) -> Iterator[Finding]:
    """The speed of one request is the inverse of the time that its tokens take, where other rows say so."""
    for rows in facts.tables:
        known = []
        for row in rows:
            each, tpot = row.first("request_tokens_per_s"), row.first("tpot_s")
            if each is not None and tpot is not None and row.kind == "table":
                known.append((row, each, tpot, each.interval.times(tpot.interval)))
        fitting = sum(quotient.meets(Interval(1, 1), 0.02) for _, _, _, quotient in known)
        for row, each, tpot, quotient in known:
            if fitting >= max(2, len(known) - 2) and not quotient.meets(Interval(1, 1), 0.08):
                yield Finding(
                    "contradiction",
                    "time-per-token",
                    each.place,
                    row.called,
                    f"1 / {tpot.low * 1e3:.4g} ms is {1 / tpot.low:.4g} tok/s, stated {each.text}",
                    (each.text, f"{tpot.low * 1e3:.4g} ms"),
                    "one of the two was changed, or belongs to another load",
                )


def requests_in_flight(facts: Facts) -> Iterator[Finding]:
    """The speed of all requests can't exceed that of one times their number."""
    for rows in facts.tables:
        known = []
        for row in rows:
            total, each = row.first("tokens_per_s"), row.first("request_tokens_per_s")
            if total is not None and each is not None and row.batch and each.low > 0:
                one = each.interval
                known.append((row, total.interval.over(Interval(one.low * row.batch, one.high * row.batch))))
        fitting = sum(quotient.meets(Interval(1, 1), 0.03) for _, quotient in known)
        for row, quotient in known:
            if quotient.low > (1.1 if row.kind == "table" else MEANS) or (
                quotient.high < 0.9 and fitting >= 2 and fitting >= len(known) - 2
            ):
                total, each = row.first("tokens_per_s"), row.first("request_tokens_per_s")
                assert total is not None and each is not None
                yield Finding(
                    "contradiction",
                    "requests-in-flight",
                    total.place,
                    row.called,
                    f"{row.batch} requests x {each.text} = {(row.batch or 1) * each.low:.4g} tok/s, "
                    f"stated {total.text}",
                    (total.text, each.text, str(row.batch)),
                    "a column of another load",
                )


def _tpot_quotient(row: Row) -> Interval | None:
    """Return speed x time a token / requests in flight, which is 1 or less; None if it can't be told."""
    speeds, tpots = row.measured.get("tokens_per_s", []), row.measured.get("tpot_s", [])
    if len(speeds) != 1 or len(tpots) != 1 or row.kind == "bench_speculative":
        return None
    product = speeds[0].figure.interval.times(tpots[0].figure.interval)
    batch = speeds[0].batch or row.batch or 1
    return Interval(product.low / batch, product.high / batch)
