"""Rules about speeds in one table: speedup, change, time a token, requests in flight. Pure."""

from collections.abc import Callable, Iterator, Sequence

from sweetspot.analyse.audit.baselines import LOOSE, Ratios, ratios
from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.report import Finding
from sweetspot.analyse.audit.rows import Measured, Row

MEANS = 1.25  # a mean of speeds may exceed the inverse of a mean of times by as much
MANY = 3  # figures of a column, none of which fits: then it is the column that was not understood
RAW = 1e-4  # last digits smaller than this are a program's, often means of each request's own speed


def speedup(facts: Facts) -> Iterator[Finding]:
    """A stated speedup must be the row's speed over the baseline's."""
    yield from _stated(facts, "speedup", _fits_speedup)


def change(facts: Facts) -> Iterator[Finding]:
    """A stated percentage against the baseline must follow from the row and the baseline's."""
    yield from _stated(facts, "change", _fits_change)


def _stated(facts: Facts, rule: str, fits: Callable[[Figure, Sequence[Interval]], bool]) -> Iterator[Finding]:
    """Yield what no figures of the table give; if of many none fits, they are of something else: a doubt."""
    for rows in facts.tables:
        columns: dict[str, list[tuple[Row, Measured, Ratios, bool]]] = {}
        for row in rows:
            for item in row.measured.get(rule, []):
                stated = item.figure
                plain_one = stated.low <= 0 or stated.low == stated.high == 1 if rule == "speedup" else False
                if plain_one or (rule == "change" and (stated.unit != "%" or stated.low == 0)):
                    continue
                found = ratios(row, rows, item.name)
                if found[0]:
                    judged = columns.setdefault(item.name.text, [])
                    judged.append((row, item, found, fits(stated, found[0])))
        for judged in columns.values():
            wrong = [(row, item, found[1]) for row, item, found, fit in judged if not fit]
            doubt = len(wrong) == len(judged) >= MANY
            if doubt and not _has_baseline(rows):
                continue
            for row, item, shown in wrong[:1] if doubt else wrong:
                yield _wrong(row, rule, item, shown, doubt)


def _has_baseline(rows: Sequence[Row]) -> bool:
    """Return whether a table names what its rows are compared with."""
    return any(row.baseline or any(key.startswith("baseline_") for key in row.measured) for row in rows)


def _fits_speedup(stated: Figure, found: Sequence[Interval]) -> bool:
    """Return whether a factor is one of the ratios."""
    span = Interval(stated.low - stated.step - stated.spread, stated.high + stated.step + stated.spread)
    return any(span.meets(ratio, LOOSE) for ratio in found)


def _fits_change(stated: Figure, found: Sequence[Interval]) -> bool:
    """Return whether a percentage follows from one of the ratios by a usual definition."""
    slack = 0.5 + stated.step + stated.spread
    span = Interval(abs(stated.low) - slack, abs(stated.low) + slack)
    return any(
        span.meets(Interval(100 * low, 100 * high))
        for r in found
        for low, high in (
            (r.low, r.high),
            (r.low - 1, r.high - 1),
            (1 - r.high, 1 - r.low),
            (1 / r.high - 1, 1 / r.low - 1),
            (1 - 1 / r.low, 1 - 1 / r.high),
        )
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


def _tpot_quotient(row: Row) -> Interval | None:
    """Return speed x time a token / requests in flight, which is 1 or less; None if it can't be told."""
    speeds, tpots = row.measured.get("tokens_per_s", []), row.measured.get("tpot_s", [])
    if len(speeds) != 1 or len(tpots) != 1 or row.kind == "bench_speculative":
        return None
    product = speeds[0].figure.interval.times(tpots[0].figure.interval)
    batch = speeds[0].batch or row.batch or 1
    return Interval(product.low / batch, product.high / batch)


def _wrong(
    row: Row, rule: str, item: Measured, shown: Sequence[tuple[Figure, Figure]], doubt: bool
) -> Finding:
    """Return the finding on a speedup or change that nothing in the table gives."""
    own, base = shown[0]
    text = f"{item.figure.text.rstrip('x×')}x" if rule == "speedup" else item.figure.text
    ratio = own.low / base.low
    return Finding(
        "warning" if doubt else "contradiction",
        rule,
        item.figure.place,
        row.called,
        f"{item.name.text} {text}, but {_shown(own)} over {_shown(base)} is {ratio:.3g}x ({ratio - 1:+.1%})"
        + ("; none of this column's fit" if doubt else ""),
        (text, _shown(own), _shown(base)),
        "another baseline, or figures of another run",
    )


def _shown(figure: Figure) -> str:
    """Return a figure without what stands in brackets behind it."""
    return figure.text.partition("(")[0].strip()
