"""Rules about lines that hold a quotient and both its terms: llama.cpp's timings and acceptance. Pure."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Figure, Interval, number
from sweetspot.analyse.audit.places import place_of
from sweetspot.analyse.audit.report import Finding

CLOSE = 0.002  # relative; beyond rounding
_F = r"(\d+(?:\.\d+)?)"


class Quotient(NamedTuple):
    """One figure of a line that is another over a third, times a factor. Numbers of groups, from 1."""

    stated: int
    above: int
    below: int
    times: float
    unit: str


LINES: tuple[tuple[re.Pattern[str], tuple[Quotient, ...]], ...] = (
    (
        re.compile(rf"= +{_F} ms / +{_F} (?:tokens|runs) *\( *{_F} ms per token, *{_F} tokens per second\)"),
        (Quotient(3, 1, 2, 1.0, "ms"), Quotient(4, 2, 1, 1000.0, "tok/s")),
    ),
    (
        re.compile(rf"draft acceptance(?: rate)? *= *{_F} *\( *{_F} accepted */ *{_F} generated\)"),
        (Quotient(1, 2, 3, 1.0, ""),),
    ),
    (
        re.compile(rf"\bdraft= *{_F} +acc= *{_F} +rate= *{_F}"),
        (Quotient(3, 2, 1, 1.0, ""),),
    ),
    (
        re.compile(rf"(?:en|de)coded +{_F} tokens in +{_F} seconds, speed: +{_F} t/s"),
        (Quotient(3, 1, 2, 1.0, "t/s"),),
    ),
    (
        re.compile(rf"n_drafted *= *{_F}\s+n_accept *= *{_F}\s+accept *= *{_F} ?%"),
        (Quotient(3, 2, 1, 100.0, "%"),),
    ),
)


def printed(facts: Facts) -> Iterator[Finding]:
    """A quotient that stands in a line with both its terms must be theirs."""
    for pattern, quotients in LINES:
        for match in pattern.finditer(facts.text):
            for quotient in quotients:
                yield from _judge(facts.text, match, quotient)


def lines_read(text: str) -> int:
    """Return how many such lines *text* holds."""
    return sum(1 for pattern, _ in LINES for _ in pattern.finditer(text))


def _judge(text: str, match: re.Match[str], quotient: Quotient) -> Iterator[Finding]:
    """Yield a finding if the quotient is not what its terms give."""
    stated, above, below = (
        _figure(text, match, group) for group in (quotient.stated, quotient.above, quotient.below)
    )
    if below.low <= 0:
        return
    ratio = above.interval.over(below.interval)
    computed = Interval(ratio.low * quotient.times, ratio.high * quotient.times)
    if stated.interval.meets(computed, CLOSE):
        return
    told: Sequence[str] = [f"{computed.middle:.4g}", quotient.unit]
    yield Finding(
        "contradiction",
        "counts",
        stated.place,
        " ".join(match.group().split())[:60],
        f"{above.text} / {below.text} is {' '.join(told).strip()}, stated {stated.text}",
        (stated.text, above.text, below.text),
        "edited by hand, or two lines in one",
    )


def _figure(text: str, match: re.Match[str], group: int) -> Figure:
    """Return the figure that a group holds."""
    value, step = number(match[group])
    return Figure(value, value, step, False, "", match[group], place_of(text, match.start(group)))
