"""Rules about accept rates, which mean nothing without their denominator. Pure."""

import re
from collections.abc import Iterator

from sweetspot.analyse.audit.conventions import Reading
from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import APPROXIMATELY, NUMBER, Figure, Interval
from sweetspot.analyse.audit.prose import step_counts
from sweetspot.analyse.audit.report import Finding
from sweetspot.analyse.audit.rows import Row

SLACK = 0.06  # relative; a mean of rates is not the rate of means
_RATES = re.compile(
    rf"accept(?:ance)? rates?\b[^.;\d]{{0,40}}(?P<a1>(?:{APPROXIMATELY})?)(?P<r1>{NUMBER})\s*%"
    rf"(?:\s*(?:to|->|→|and|versus|vs\.?)\s*(?P<a2>(?:{APPROXIMATELY})?)(?P<r2>{NUMBER})\s*%)?",
    re.IGNORECASE,
)
_FEWER = re.compile(  # some cycles draft less than they may
    r"suffix|n-?gram|prompt[ _-]lookup|adaptive|dynamic|early[ -]stop", re.IGNORECASE
)
_OTHER_RATE = re.compile(
    r"position|first (?:draft|token)|per-token|top-?1|training|validation|eval", re.IGNORECASE
)


def accept_rate(facts: Facts) -> Iterator[Finding]:
    """An accept rate beside an accept length and a step count must fit one of the definitions in use."""
    fewer = bool(_FEWER.search(facts.text))
    with_bonus = {reading.row.source for reading in facts.readings if _fits_with_bonus(reading)}
    for reading in facts.readings:
        row, rate = reading.row, reading.row.first("accept_rate")
        if rate is None or not row.drafts or reading.convention == "neither":
            continue
        alone = row.source not in with_bonus
        if (row.topk or 1) > 1 and row.draft_tokens is None:
            continue
        found = _definitions(reading, row, alone)
        if alone:
            found |= _of_papers(reading.with_bonus, row.drafts)
        if any(rate.interval.meets(value, SLACK) for value in found.values()) or row.kind == "log":
            continue
        if fewer and rate.interval.high > min(value.low for value in found.values()):
            continue
        listed = ", ".join(f"{name} = {value.middle:.1%}" for name, value in found.items())
        yield Finding(
            "contradiction",
            "accept-rate",
            rate.place,
            row.called,
            f"accept rate {rate.text} with accept length {reading.stated.text} and {row.drafts} drafts "
            f"fits no definition: {listed}",
            (rate.text, reading.stated.text, str(row.drafts)),
            "rate and length of different runs, or of another number of drafts",
        )


def accept_rate_said(facts: Facts) -> Iterator[Finding]:
    """An accept rate in prose without its denominator must fit some definition at a stated step count."""
    known = [
        r
        for r in facts.readings
        if r.row.drafts and r.convention in {"included", "excluded"} and r.row.kind == "table"
    ]
    if not known:
        return
    for sentence in facts.sentences:
        named = step_counts(sentence.text)
        for match in _RATES.finditer(sentence.text):
            if _OTHER_RATE.search(sentence.text):
                continue
            rates = [
                sentence.figure(match, f"r{n}", "%", bool(match[f"a{n}"].strip()))
                for n in (1, 2)
                if match[f"r{n}"] is not None
            ]
            at = [r for r in known if len(named) == 1 and r.row.drafts == named[0]]
            misfits = [rate for rate in rates if not _fitting(rate, at or known)]
            if not misfits:
                continue
            fits = [
                f"; {rate.text} % is {where}" for rate in rates for where in _fitting(rate, at or known)[:1]
            ]
            steps = ", ".join(str(reading.row.drafts) for reading in at or known)
            missing = " and ".join(f"{rate.text} %" for rate in misfits)
            yield Finding(
                "contradiction" if at else "warning",
                "accept-rate",
                rates[0].place,
                sentence.short,
                f"accept rate without a denominator: {missing} fits none of "
                f"SGLang's and vLLM's definitions at {steps} steps{''.join(fits)}",
                tuple(f"{rate.text} %" for rate in rates),
                "two definitions are mixed, or the rate is of a configuration that the text does not name",
            )


def _fits_with_bonus(reading: Reading) -> bool:
    """Return whether the rate beside an accept length is that of one which includes the bonus token."""
    rate = reading.row.first("accept_rate")
    if rate is None or not reading.row.drafts:
        return False
    return any(
        rate.interval.meets(v, SLACK) for v in _definitions(reading, reading.row, alone=False).values()
    )


def _definitions(reading: Reading, row: Row, alone: bool = True) -> dict[str, Interval]:
    """Return what the accept rate is by each definition, as a share."""
    steps = row.drafts or 1
    tokens = row.draft_tokens or steps + 1
    lengths = {"": reading.with_bonus}
    if reading.convention == "unknown" and alone:
        lengths[" (length of drafts alone)"] = reading.stated.interval.plus(1)
    found = {}
    for note, length in lengths.items():
        found[f"accepted drafts / {steps} steps{note}"] = _share(length.plus(-1), steps)
        found[f"accepted tokens / {tokens} draft tokens{note}"] = _share(length, tokens)
        if tokens - 1 != steps:
            found[f"accepted drafts / {tokens - 1}{note}"] = _share(length.plus(-1), tokens - 1)
            found[f"accepted drafts / {tokens}{note}"] = _share(length.plus(-1), tokens)
    return found


def _of_papers(length: Interval, steps: int) -> dict[str, Interval]:
    """Return two more that tables use: the share of tokens that were drafts, and a constant chance a draft.

    With a chance p at every position, a cycle yields 1 + p + ... + p ** steps tokens.
    """
    drafted = Interval(1 - 1 / max(length.low, 1), 1 - 1 / max(length.high, 1))
    chances = [thousandth / 1000 for thousandth in range(1001)]
    yields = [sum(chance**position for position in range(steps + 1)) for chance in chances]
    low = next((p for p, tokens in zip(chances, yields, strict=True) if tokens >= length.low), 1.0)
    high = next((p for p, tokens in zip(chances, yields, strict=True) if tokens >= length.high), 1.0)
    return {"drafts among all tokens": drafted, "chance of each draft": Interval(low, high)}


def _fitting(rate: Figure, known: list[Reading]) -> list[str]:
    """Return where a rate in percent comes from: definitions and step counts that give it."""
    span = rate.scaled(0.01, "").interval
    return [
        f"{name} at {reading.row.drafts} steps"
        for reading in known
        for name, value in _definitions(reading, reading.row).items()
        if span.meets(value)
    ]


def _share(length: Interval, drafts: int) -> Interval:
    """Return a length over a number of drafts."""
    return Interval(max(length.low, 0) / max(drafts, 1), max(length.high, 0) / max(drafts, 1))
