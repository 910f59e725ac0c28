"""Rules about speeds in one table: speedup, change, time a token, requests in flight, counts. Pure."""

from collections.abc import Iterator, Sequence

from sweetspot.analyse.audit.baselines import LOOSE, ratios
from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.report import Finding
from sweetspot.analyse.audit.rows import Measured, Row

MEANS = 1.25  # a mean of speeds may exceed the inverse of a mean of times by as much
RAW = 1e-4  # last digits smaller than this are a program's, often means of each request's own speed


def speedup(facts: Facts) -> Iterator[Finding]:
    """A stated speedup must be the row's speed over the baseline's."""
    for rows in facts.tables:
        for row in rows:
            for item in row.measured.get("speedup", []):
                stated = item.figure
                span = Interval(stated.low - stated.step, stated.high + stated.step)
                if stated.low <= 0 or stated.low == stated.high == 1:
                    continue
                found, shown = ratios(row, rows, "speedup")
                if found and not any(span.meets(ratio, LOOSE) for ratio in found):
                    yield _wrong(row, "speedup", item, f"{stated.text.rstrip('x×')}x", shown)


def change(facts: Facts) -> Iterator[Finding]:
    """A stated percentage against the baseline must follow from the row and the baseline's."""
    for rows in facts.tables:
        for row in rows:
            for item in row.measured.get("change", []):
                stated = item.figure
                if stated.unit != "%" or stated.low == 0:
                    continue
                span = Interval(abs(stated.low) - 0.5 - stated.step, abs(stated.low) + 0.5 + stated.step)
                found, shown = ratios(row, rows, "change")
                shares = [
                    Interval(100 * low, 100 * high)
                    for r in found
                    for low, high in (
                        (r.low - 1, r.high - 1),
                        (1 - r.high, 1 - r.low),
                        (1 / r.high - 1, 1 / r.low - 1),
                        (1 - 1 / r.low, 1 - 1 / r.high),
                    )
                ]
                if shares and not any(span.meets(share) for share in shares):
                    yield _wrong(row, "change", item, stated.text, shown)


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
            if one_factor or not (above or below):
                continue
            speed, tpot = row.measured["tokens_per_s"][0].figure, row.measured["tpot_s"][0].figure
            yield Finding(
                "contradiction",
                "time-per-token",
                speed.place,
                row.called,
                f"{row.batch or 1} / {tpot.low * 1e3:.4g} ms is {(row.batch or 1) / tpot.low:.4g} tok/s, "
                f"stated {speed.text}",
                (speed.text, f"{tpot.low * 1e3:.4g} ms"),
                "figures of different runs, or of another number of requests in flight",
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


def counts(facts: Facts) -> Iterator[Finding]:
    """A benchmark's output speed must be its output tokens over its duration."""
    for row in facts.rows:
        tokens, took = row.first("output_tokens"), row.first("duration_s")
        speed = row.first("tokens_per_s")
        if tokens is None or took is None or speed is None or took.low <= 0:
            continue
        quotient = tokens.interval.over(took.interval)
        if not speed.interval.meets(quotient, 0.01):
            yield Finding(
                "contradiction",
                "counts",
                speed.place,
                row.called,
                f"{tokens.text} tokens / {took.text} s = {quotient.middle:.4g} tok/s, stated {speed.text}",
                (tokens.text, took.text, speed.text),
                "edited by hand, or lines of two runs",
            )


def _tpot_quotient(row: Row) -> Interval | None:
    """Return speed x time a token / requests in flight, which is 1 or less; None if it can't be told."""
    speeds, tpots = row.measured.get("tokens_per_s", []), row.measured.get("tpot_s", [])
    if len(speeds) != 1 or len(tpots) != 1 or row.kind == "bench_speculative":
        return None
    product = speeds[0].figure.interval.times(tpots[0].figure.interval)
    batch = speeds[0].batch or row.batch or 1
    return Interval(product.low / batch, product.high / batch)


def _wrong(row: Row, rule: str, item: Measured, text: str, shown: Sequence[tuple[Figure, Figure]]) -> Finding:
    """Return the finding on a speedup or change that nothing in the table gives."""
    own, base = shown[0]
    return Finding(
        "contradiction",
        rule,
        item.figure.place,
        row.called,
        f"{item.name.text} {text}, but {own.text} over {base.text} is {own.low / base.low:.3g}x "
        f"({own.low / base.low - 1:+.1%})",
        (text, own.text, base.text),
        "another baseline, or figures of another run",
    )
