"""Reads claims of change out of sentences: from A to B, by P %, N times, both operands given. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sweetspot.analyse.audit.figures import APPROXIMATELY, NUMBER, Figure, Interval
from sweetspot.analyse.audit.prose import PER_SECOND, Sentence

_UNITS = rf"(?:ms(?:/\w+)?|µs|μs|us|seconds?|s\b|{PER_SECOND}|it/s|steps/s|GiB|GB|MiB|MB|[kKM]\b|%|[x×])"
_ABOUT = rf"(?:{APPROXIMATELY})?"
_SHIFTS = (
    r"(?:reductions?|increases?|improvements?|drops?|decreases?|gains?|savings?|speed-?ups?|slow-?downs?"
    r"|declines?|cuts?"
    r"|faster|slower|lower|higher|less|more|fewer|better|worse|penalty|loss|boost|jump|rise|uplift"
    r"|shorter|longer)"
)


def _operand(name: str) -> str:
    """Return a pattern for one operand: a figure with a unit, perhaps behind a configuration's name."""
    label = r"(?:(?:a|an|the|our|only|just)\s+)?(?:\d{1,2}[- ]steps?\s*\(?\s*|[A-Za-z][\w-]*\s*\()?"
    return rf"{label}(?P<{name}_about>{_ABOUT})(?P<{name}>{NUMBER})(?!\d)\s*(?P<{name}_unit>{_UNITS})?\)?"


_BRIDGE = (
    r"[\s,;:—–\-(=≈~，；：（]*(?:(?:an?|or|i\.e\.|roughly|around|about|nearly|almost|only|just|that is"
    r"|which is"
    r"|up|down|by|(?:for|at|of) (?:the |our )?(?:plain |vanilla )?baseline|baseline|without speculation"
    r"|[升降增减提][高低升加少]?了?|快了?|慢了?|约|即|加速"
    r"|difference of|an?\s+improvement of|a\s+reduction of|a\s+drop of|a\s+gain of)[\s,:(，：（]*)*[+\-−~≈]?"
)
_PERCENT = rf"(?P<p_about>{_ABOUT})[+\-−]?(?P<p>{NUMBER})\s*(?:%|percent)"
_TIMES = rf"(?P<p_about>{_ABOUT})(?P<p>{NUMBER})\s*(?:[x×](?![\w])|-?fold\b|times\b)"
_NOUN = r"(?:\s+(?:samples?|tokens?|examples?|params?|of \w+))?"
_PAIR = (
    rf"(?:(?:\bfrom\s|从|由)\s*{_operand('a')}{_NOUN}\s*(?:[^\d.;%]{{0,30}}?)\s*(?:\bto\s|->|→|到|至)"
    rf"\s*{_operand('b')}{_NOUN}"
    rf"|{_operand('c')}{_NOUN},?\s*(?:->|→|vs\.?\s|versus\s|compared (?:to|with)\s|against\s"
    r"|[降升提增][高低升加]?[到至])"
    rf"\s*{_operand('d')}{_NOUN})"
)
_AFTER = [
    re.compile(rf"{_PAIR}{_BRIDGE}{share}(?=(?P<after>[^\n]{{0,45}}))", re.IGNORECASE)
    for share in (_PERCENT, _TIMES)
]
_BEFORE = [
    re.compile(
        rf"{share}\s*(?P<after>(?:{_SHIFTS})?(?:\s+(?:in|of|than)\s+[a-z ]{{2,30}}?)?)"
        rf"[\s,:—–\-]*\(?\s*{_PAIR}",
        re.IGNORECASE,
    )
    for share in (_PERCENT, _TIMES)
]


_LINK = re.compile(r"\bfrom\b|->|→|\bvs\b|versus|compared|against|[到至]", re.IGNORECASE)
_HINT = re.compile(r"\d\s*(?:%|percent|[x×]|-?fold|times)", re.IGNORECASE)


@dataclass(frozen=True)
class Change:
    """A claim that something went from one figure to another by a share or a factor."""

    sentence: Sentence
    before: Figure
    after: Figure
    size: Figure
    times: bool  # a factor, not percent
    follows: str  # the words after the size


def changes(sentence: Sentence) -> Iterator[Change]:
    """Yield the claims of change in *sentence* that give both operands."""
    if not _HINT.search(sentence.text):
        return
    for patterns in (_AFTER, _BEFORE):
        for times, pattern in enumerate(patterns):
            for match in pattern.finditer(sentence.text):
                first, second = ("a", "b") if match["a"] else ("c", "d")
                before, after = _figure(sentence, match, first), _figure(sentence, match, second)
                before, after = _same_unit(before, after)
                if not _comparable(before, after, sentence.text):
                    continue
                about = (
                    bool(match["p_about"].strip())
                    or "~" in match.group()[: match.start("p") - match.start()][-3:]
                )
                size = sentence.figure(match, "p", "" if times else "%", about)
                yield Change(sentence, before, after, size, bool(times), match["after"])


def moves(sentence: Sentence) -> Iterator[tuple[Figure, Figure]]:
    """Yield each pair `from A to B` of *sentence*, whatever is said of it."""
    if not _LINK.search(sentence.text):
        return
    for match in re.finditer(_PAIR, sentence.text, re.IGNORECASE):
        first, second = ("a", "b") if match["a"] else ("c", "d")
        before, after = _same_unit(_figure(sentence, match, first), _figure(sentence, match, second))
        if before.unit and before.unit == after.unit:
            yield before, after


def allowed(size: Figure) -> Interval:
    """Return what a stated share or factor may stand for, cut or rounded; round ones said to be so, more."""
    slack = size.step
    if size.about and size.step == 1 and size.low >= 10:
        slack = 2.5 if size.low % 10 == 0 else 1.5 if size.low % 5 == 0 else 1.0
    elif not size.about and size.step == 1:
        slack = 0.6
    return Interval(size.low - slack, size.low + slack)


def shares(before: Figure, after: Figure) -> list[Interval]:
    """Return the change in percent by the usual definitions: over either operand, and their ratio."""
    a, b = before.interval, after.interval
    up, down = b.over(a), a.over(b)
    ends = [
        (up.low - 1, up.high - 1),
        (1 - up.high, 1 - up.low),
        (down.low - 1, down.high - 1),
        (1 - down.high, 1 - down.low),
        (up.low, up.high),
        (down.low, down.high),
    ]
    return [Interval(100 * low, 100 * high) for low, high in ends]


def factors(before: Figure, after: Figure) -> list[Interval]:
    """Return the two ratios of the operands."""
    a, b = before.interval, after.interval
    return [b.over(a), a.over(b)]


def _figure(sentence: Sentence, match: re.Match[str], group: str) -> Figure:
    """Return an operand, with K and M multiplied out."""
    unit = (match[f"{group}_unit"] or "").lower().replace(" ", "")
    figure = sentence.figure(match, group, unit, bool(match[f"{group}_about"].strip()))
    scale = {"k": 1e3, "m": 1e6}.get(unit)
    return figure.scaled(scale, "count") if scale else figure


def _same_unit(before: Figure, after: Figure) -> tuple[Figure, Figure]:
    """Return both with the unit that one of them gives."""
    if not before.unit and after.unit:
        before = before.scaled(1.0, after.unit)
    if not after.unit and before.unit and before.unit != "count":
        after = after.scaled(1.0, before.unit)
    return before, after


def _comparable(before: Figure, after: Figure, text: str) -> bool:
    """Return whether the two are figures of one kind, and not a year, a batch size or a share."""
    if before.low <= 0 or after.low <= 0:
        return False
    if before.unit in {"%", "x", "×"} or after.unit in {"%", "x", "×"}:
        return False
    if before.unit or after.unit:
        return before.unit.rstrip("s") == after.unit.rstrip("s")
    return "accept" in text.lower() and before.step < 1 and after.step < 1
