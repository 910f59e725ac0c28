"""Rules about percentages and factors that prose states beside the figures they come from. Pure."""

import re
from collections.abc import Iterator, Sequence

from sweetspot.analyse.audit.changes import Change, allowed, changes, factors, shares
from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import APPROXIMATELY, NUMBER, Figure, Interval
from sweetspot.analyse.audit.prose import PER_SECOND, Sentence, step_counts
from sweetspot.analyse.audit.report import Finding

_BOUND = re.compile(
    r"(?:over|more than|at least|up to|less than|under|at most|>|<|≥|≤|another|further|additional)\W*$",
    re.IGNORECASE,
)
_SPEED_WORDS = re.compile(r"throughput|tok|\bspeed\b|accept", re.IGNORECASE)
_TIME_WORDS = re.compile(r"latency|\btime\b|accept|memory", re.IGNORECASE)
_CLAUSE = re.compile(r"\b(?:for|with|while|when|due|because|at|but|and)\b|[,;(]")
_P = rf"(?P<p_about>(?:{APPROXIMATELY})?)(?P<p>{NUMBER})\s*%"
_SIDE = r"(?:below|above|under|over|slower|faster|lower|higher|better|worse|behind|short of)"
_BASELINE = rf"{_SIDE}(?: than)?(?: the| its| our)?\s+(?:non-speculative |no-spec |vanilla )?baseline"
_BESIDE = re.compile(rf"(?P<v>{NUMBER})\s*{PER_SECOND}\W{{0,4}}{_P}\s*{_BASELINE}", re.IGNORECASE)
_LOOSE = re.compile(rf"{_P}\s*{_BASELINE}", re.IGNORECASE)
_BEATS = re.compile(
    rf"(?:beat\w*|exceed\w*|outperform\w*|surpass\w*|trail\w*|lag\w*(?: behind)?|loses to)\s+(?:the |its "
    rf"|our )?baseline"
    rf"(?:\s+(?:speed|throughput))?\s+by\s+{_P}",
    re.IGNORECASE,
)
_DRAFT_FACTOR = re.compile(
    r"(?P<about>~)?(?P<p>\d+(?:\.\d+)?)\s*[x×]\s*(?:reduction|decrease|cut|drop|increase|growth|fewer"
    r"|more|less)\s+"
    r"(?:in |of )?(?:the )?(?:number of )?draft tokens",
    re.IGNORECASE,
)


def percent(facts: Facts) -> Iterator[Finding]:
    """A stated change must follow from the two figures beside it by one of the usual definitions."""
    for sentence in facts.sentences:
        for change in changes(sentence):
            if _bounded(sentence, change.size) or _of_something_else(change):
                continue
            found = (
                factors(change.before, change.after) if change.times else shares(change.before, change.after)
            )
            if change.times:
                found += [ratio.plus(-1) for ratio in found]
            yield from _judge(sentence, change.size, (change.before, change.after), found)


def percent_of_baseline(facts: Facts) -> Iterator[Finding]:
    """A stated distance from the baseline must follow from the two speeds that the text gives."""
    baselines = facts.baseline_speeds
    if not baselines:
        return
    for sentence in facts.sentences:
        spoken = [
            said.speed for said in facts.said if said.sentence is sentence and said.num_steps is not None
        ]
        named = step_counts(sentence.text)
        taken: set[int] = set()
        for pattern in (_BESIDE, _LOOSE, _BEATS):
            for match in pattern.finditer(sentence.text):
                if match.start("p") in taken:
                    continue
                taken.add(match.start("p"))
                if pattern is _BESIDE:
                    speeds = [sentence.figure(match, "v", "tok/s")]
                elif pattern is _LOOSE and spoken:
                    speeds = spoken if len(spoken) == 1 else []
                else:
                    speeds = facts.speeds_of(named[0]) if len(named) == 1 else []
                size = sentence.figure(match, "p", "%", bool(match["p_about"].strip()))
                if not speeds or _bounded(sentence, size):
                    continue
                pairs = [(base, speed) for base in baselines for speed in speeds]
                found = [share for base, speed in pairs for share in shares(base, speed)[:4]]
                yield from _judge(sentence, size, pairs[0], found)


def draft_token_factor(facts: Facts) -> Iterator[Finding]:
    """A factor claimed for draft tokens must be their ratio at the step counts of the sentence."""
    for sentence in facts.sentences:
        named = step_counts(sentence.text)
        for match in _DRAFT_FACTOR.finditer(sentence.text):
            if len(named) != 2 or not all(steps in facts.draft_tokens for steps in named):
                continue
            most, least = sorted((facts.draft_tokens[steps] for steps in named), reverse=True)
            size = sentence.figure(match, "p", "x", bool(match["about"]))
            span = allowed(size)
            if span.meets(Interval(most / least, most / least)):
                continue
            steps = max(named) / min(named)
            same = span.meets(Interval(steps, steps))
            yield Finding(
                "contradiction",
                "factor",
                size.place,
                sentence.short,
                f"{match['p']}x in draft tokens, but {most} to {least} draft tokens is {most / least:.3g}x",
                (f"{match['p']}x", str(most), str(least)),
                f"{steps:.3g}x is the ratio of the steps, {max(named)} to {min(named)}"
                if same
                else "miscounted",
            )


def _judge(
    sentence: Sentence, size: Figure, operands: tuple[Figure, Figure], found: Sequence[Interval]
) -> Iterator[Finding]:
    """Yield a finding if none of the computed values is what was stated."""
    span = allowed(size)
    a, b = operands
    if a.low <= 0 or b.low <= 0 or any(span.meets(value) for value in found):
        return
    mark = "%" if size.unit == "%" else "x"
    computed = f"{abs(a.low - b.low) / a.low:.1%} of {a.text}, {abs(a.low - b.low) / b.low:.1%} of {b.text}"
    if mark == "x":
        computed = f"{max(a.low, b.low) / min(a.low, b.low):.3g}x"
    yield Finding(
        "contradiction",
        "percent" if mark == "%" else "factor",
        size.place,
        sentence.short,
        f"{'~' * size.about}{size.text}{mark} stated, but {a.text} to {b.text} is {computed}",
        (f"{'~' * size.about}{size.text}{mark}", a.text, b.text),
        "computed from other figures, or misremembered",
    )


def _bounded(sentence: Sentence, size: Figure) -> bool:
    """Return whether the size is only a bound, or on top of something else."""
    return bool(_BOUND.search(sentence.before(size)[-40:].rstrip("~≈ ")))


def _of_something_else(change: Change) -> bool:
    """Return whether the words after the size name another metric than that of the operands."""
    follows = _CLAUSE.split(change.follows)[0]
    time = change.before.unit.partition("/")[0] in {"ms", "s", "us", "µs", "seconds", "second"}
    if re.search(r"\d", follows) and not time:
        return False
    return bool((_SPEED_WORDS if time else _TIME_WORDS).search(follows)) and change.before.unit != "count"
