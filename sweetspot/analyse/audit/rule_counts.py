"""Rules about what a benchmark program prints: rates are counts over times, tails lie above means. Pure."""

import re
from collections.abc import Iterator
from itertools import pairwise

from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.report import Finding
from sweetspot.analyse.audit.rows import Row

CLOSE = 0.01  # relative; a program divides before it rounds
FAR = 2.0  # times that two means over different things may differ
RISING = ("min", "p50", "p75", "p90", "p95", "p99", "max")
_SAME = {"median": "p50", "average": "mean", "avg": "mean"}

# What is stated, what its terms are, each `+` a sum; and what the quotient is called.
QUOTIENTS: tuple[tuple[str, str, str, str], ...] = (
    ("tokens_per_s", "output_tokens", "duration_s", "tok/s"),
    ("input_tokens_per_s", "input_tokens", "duration_s", "tok/s"),
    ("all_tokens_per_s", "input_tokens + output_tokens", "duration_s", "tok/s"),
    ("requests_per_s", "requests", "duration_s", "requests/s"),
    ("accept_rate", "accepted_tokens", "drafted_tokens", ""),
)


def counts(facts: Facts) -> Iterator[Finding]:
    """A rate that a benchmark prints must be its count over its duration."""
    for row in facts.rows:
        for stated, above, below, unit in QUOTIENTS:
            rate, bottom = row.first(stated), row.first(below)
            tops = [row.first(term) for term in above.split(" + ")]
            if rate is None or bottom is None or bottom.low <= 0 or any(top is None for top in tops):
                continue
            known = [top for top in tops if top is not None]
            total = Interval(sum(t.interval.low for t in known), sum(t.interval.high for t in known))
            quotient = total.over(bottom.interval)
            if not rate.interval.meets(quotient, CLOSE):
                told = " + ".join(top.text for top in known)
                shown = f"{quotient.middle:.4g} {unit}".strip()
                yield _wrong(row, rate, f"{told} / {bottom.text} = {shown}", (*known, bottom))


def accepted_per_cycle(facts: Facts) -> Iterator[Finding]:
    """A benchmark's accept length must be its accepted tokens over its cycles, the bonus token added."""
    for row in facts.rows:
        length, accepted, cycles = (row.first(k) for k in ("accept_length", "accepted_tokens", "cycles"))
        if length is None or accepted is None or cycles is None or cycles.low <= 0:
            continue
        drafts = accepted.interval.over(cycles.interval)
        if not any(length.interval.meets(drafts.plus(more), CLOSE / 2) for more in (0.0, 1.0)):
            told = f"{accepted.text} / {cycles.text} = {drafts.middle:.4g}, and {drafts.middle + 1:.4g} "
            yield _wrong(row, length, told + "with the bonus token", (accepted, cycles))


def shares_by_position(facts: Facts) -> Iterator[Finding]:
    """A benchmark's accept length must be 1 plus the shares of its positions, and these must fall."""
    for row in facts.rows:
        length = row.first("accept_length")
        shares = [item.figure for item in row.measured.get("position_share", [])]
        if length is None or not shares or row.kind == "table":
            continue
        scale = 100 if max(share.low for share in shares) > 1 else 1
        total = Interval(
            1 + sum(share.interval.low for share in shares) / scale,
            1 + sum(share.interval.high for share in shares) / scale,
        )
        if not length.interval.meets(total, CLOSE / 2):
            told = f"1 + {' + '.join(share.text for share in shares)} = {total.middle:.4g}"
            yield _wrong(row, length, told, tuple(shares))


def time_between_chunks(facts: Facts) -> Iterator[Finding]:
    """A chunk holds one token or those of a cycle: ITL is TPOT, or TPOT x accept length; else a doubt."""
    for row in facts.rows:
        between, each, length = (row.first(key) for key in ("itl_s", "tpot_s", "accept_length"))
        if between is None or each is None or each.low <= 0:
            continue
        most = max(length.high if length else 1.0, 1.0)
        if each.low / FAR <= between.low <= each.high * most * FAR:
            continue
        yield Finding(
            "warning",
            "itl",
            between.place,
            row.called,
            f"ITL {between.low * 1e3:.4g} ms with TPOT {each.low * 1e3:.4g} ms"
            + (f" and accept length {length.text}" if length else "")
            + ", expected TPOT, or TPOT x accept length where a chunk is a cycle",
            (f"{between.low * 1e3:.4g} ms", f"{each.low * 1e3:.4g} ms"),
            "figures of two runs, chunks of several cycles, or requests of very different lengths",
        )


def requests_at_once(facts: Facts) -> Iterator[Finding]:
    """The mean number of requests in flight is their number times their mean time, over the duration."""
    for row in facts.rows:
        mean, number, took, whole = (
            row.first(key) for key in ("mean_requests", "requests", "latency_s", "duration_s")
        )
        if mean is None or number is None or took is None or whole is None or whole.low <= 0:
            continue
        expected = number.interval.times(took.interval).over(whole.interval)
        if not mean.interval.meets(expected, CLOSE):
            told = f"{number.text} requests x {took.text} / {whole.text} s = {expected.middle:.4g}"
            yield _wrong(row, mean, told, (number, took, whole))


def tails(facts: Facts) -> Iterator[Finding]:
    """The 99th percentile of a time lies at or above the 90th, that above the median, and so on."""
    for row in facts.rows:
        for what, found in row.tails.items():
            known = {_SAME.get(name, name): figure for name, figure in found.items()}
            order = [(name, known[name]) for name in RISING if name in known]
            pairs = list(pairwise(order))
            if "mean" in known:
                pairs += [(("mean", known["mean"]), ("max", known["max"]))] if "max" in known else []
                pairs += [(("min", known["min"]), ("mean", known["mean"]))] if "min" in known else []
            rate = bool(re.search(r"tok\w*/s|throughput|tps|/ ?s\b", what))
            for (lower, low), (upper, high) in pairs:
                if (
                    low.unit == high.unit
                    and low.interval.low > high.interval.high
                    and not (rate and lower.startswith("p"))
                ):
                    yield Finding(
                        "contradiction",
                        "tails",
                        high.place,
                        row.called,
                        f"{what}: {lower} {low.text} lies above {upper} {high.text}",
                        (low.text, high.text),
                        "two lines exchanged, or figures of two runs",
                    )


def _wrong(row: Row, stated: Figure, computed: str, terms: tuple[Figure, ...]) -> Finding:
    """Return the finding on a quotient."""
    return Finding(
        "contradiction",
        "counts",
        stated.place,
        row.called,
        f"{computed}, stated {stated.text}",
        (*(term.text for term in terms), stated.text),
        "edited by hand, or lines of two runs",
    )
