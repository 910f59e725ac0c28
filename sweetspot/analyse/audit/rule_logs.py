"""Rules about what servers log of their decoding, line by line. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Interval
from sweetspot.analyse.audit.places import Place
from sweetspot.analyse.audit.report import Finding
from sweetspot.measure.server_log import LogRow

LARGEST = 64  # draft tokens that are tried
ENOUGH = 4  # lines that must fit one number of draft tokens before another line can miss it
MOST = 0.8  # of the lines must fit it
HALF_DIGIT = 0.0051  # both are printed with two decimals
SAMPLE = 400  # lines from which the number is chosen
REPEATED = 5  # findings of one rule in one log


def sglang_accept_rate(facts: Facts) -> Iterator[Finding]:
    """In SGLang's log the rate is the length over the draft tokens, or both less 1; one number fits all."""
    lines = [
        (row, row.accept_length, row.accept_rate)
        for row in facts.log
        if row.engine == "sglang" and row.accept_length is not None and row.accept_rate is not None
    ]
    settings = {row.drafts for row in facts.rows if row.kind == "log" and row.drafts}
    given = (
        {row.draft_tokens or (row.drafts or 0) + 1 for row in facts.rows if row.kind == "log"}
        if settings
        else set()
    )
    tried = [
        (sum(_fits(length, rate, tokens, bonus) for _, length, rate in lines[:SAMPLE]), tokens, bonus)
        for tokens in (sorted(given) if len(given) == 1 else range(2, LARGEST + 1))
        for bonus in (0, 1)
    ]
    if not lines or not tried:
        return
    _, tokens, bonus = max(tried, key=lambda one: one[0])
    fits = [_fits(length, rate, tokens, bonus) for _, length, rate in lines]
    known = len(given) == 1 or (sum(fits) >= ENOUGH and sum(fits) >= MOST * len(lines))
    off = [line for line, fit in zip(lines, fits, strict=True) if not fit] if known else []
    for row, length, rate in off[:REPEATED]:
        computed = (length - bonus) / (tokens - bonus)
        yield Finding(
            "contradiction",
            "accept-rate",
            Place(row.line, 1),
            f"log line {row.line}",
            f"accept rate {rate:.2f}, but {length:g}{' - 1' * bonus} / {tokens - bonus} = {computed:.2f}"
            f"{_more(len(off))}",
            (f"{rate:.2f}", f"{length:g}", str(tokens)),
            "edited by hand, lines of two servers in one, or another number of draft tokens",
        )


def vllm_metrics(facts: Facts) -> Iterator[Finding]:
    """In vLLM's log the mean length is 1 plus the shares by position, the rates are counts over counts."""
    for row in facts.log:
        length = row.accept_length
        if row.engine != "vllm" or length is None:
            continue
        shares = row.by_position
        by_position = 1 + sum(shares)
        if shares and abs(by_position - length) > 0.006 + 0.0006 * len(shares):
            yield _vllm(
                row,
                f"mean acceptance length {length:g}, but 1 + the shares by position is {by_position:.3f}",
                (f"{length:g}", f"{by_position:.3f}"),
            )
        for at, (before, after) in enumerate(pairwise(shares), start=2):
            if after > before + 0.0011:
                told = f"share {after:g} at position {at} above {before:g} at {at - 1}; a chain can only fall"
                yield _vllm(row, told, (f"{before:g}", f"{after:g}"))
        accepted, drafted = (_count(row.fields.get(key)) for key in ("Accepted", "Drafted"))
        if accepted is None or not drafted:
            continue
        quotient = f"{accepted:g} / {drafted:g} = {accepted / drafted:.1%}"
        if row.accept_rate is not None and abs(accepted / drafted - row.accept_rate) > 0.0011:
            told = f"draft acceptance rate {row.accept_rate:.1%}, but {quotient}"
            yield _vllm(row, told, (f"{row.accept_rate:.1%}", f"{accepted:g}", f"{drafted:g}"))
        speeds = [_count(row.fields.get(f"{what} throughput")) for what in ("Accepted", "Drafted")]
        if speeds[0] is not None and speeds[1]:
            ratio = _two_decimals(speeds[0]).over(_two_decimals(speeds[1]))
            if not ratio.meets(Interval(accepted / drafted, accepted / drafted), 0.01):
                told = (
                    f"throughputs {speeds[0]:g} / {speeds[1]:g} = {speeds[0] / speeds[1]:.1%}, but {quotient}"
                )
                yield _vllm(row, told, (f"{speeds[0]:g}", f"{speeds[1]:g}", f"{accepted:g}", f"{drafted:g}"))


def _fits(length: float, rate: float, tokens: int, bonus: int) -> bool:
    """Return whether both printed figures may come from one pair of counts."""
    low, high = ((length - bonus + half) / (tokens - bonus) for half in (-HALF_DIGIT, HALF_DIGIT))
    return low - HALF_DIGIT <= rate <= high + HALF_DIGIT


def _more(number: int) -> str:
    """Return a mention of the lines that are not listed."""
    return f"; {number} lines like it" if number > REPEATED else ""


def _vllm(row: LogRow, message: str, figures: Sequence[str]) -> Finding:
    """Return the finding on a line of vLLM's."""
    return Finding(
        "contradiction",
        "vllm-metrics",
        Place(row.line, 1),
        f"log line {row.line}",
        message,
        tuple(figures),
        "edited by hand, or two lines in one",
    )


def _two_decimals(value: float) -> Interval:
    """Return what a figure with two decimals may stand for."""
    return Interval(max(value - 0.005, 0.0), value + 0.005)


def _count(value: str | None) -> float | None:
    """Return the number that a log's value begins with."""
    match = re.match(r"\d+(?:\.\d+)?", value or "")
    return float(match.group()) if match else None
