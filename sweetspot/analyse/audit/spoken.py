"""Makes rows of sentences that give figures of one configuration: speed, cycle time, accept length. Pure."""

import re
from collections.abc import Iterator, Sequence

from sweetspot.analyse.audit.figures import APPROXIMATELY, NUMBER
from sweetspot.analyse.audit.fill import add
from sweetspot.analyse.audit.names import BASELINE, Name
from sweetspot.analyse.audit.prose import PER_SECOND, Sentence, step_counts
from sweetspot.analyse.audit.rows import Row
from sweetspot.analyse.audit.settings import batch_in

_ABOUT = rf"(?P<about>{APPROXIMATELY})?"
_IS = r"\s*(?:\(τ\)\s*)?(?:(?:of|is|was|at|=|:|averages|averaged|reached)\s*){0,2}"
_CYCLES = r"(?:cycle|decoding step|decode step|verify step|step|iteration|round)s?\b"
_PATTERNS: tuple[tuple[str, str, tuple[re.Pattern[str], ...]], ...] = tuple(
    (metric, unit, tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns))
    for metric, unit, patterns in (
        ("tokens_per_s", "tok/s", (rf"{_ABOUT}(?P<v>{NUMBER})\s*{PER_SECOND}",)),
        ("tpot_s", "ms", (rf"\bTPOT{_IS}{_ABOUT}(?P<v>{NUMBER})\s*ms\b",)),
        (
            "cycle_s",
            "ms",
            (
                rf"{_ABOUT}(?P<v>{NUMBER})\s*ms\s*(?:/|per|a|each)\s*(?:whole |full )?{_CYCLES}",
                rf"\b{_CYCLES}(?:\s+(?:times?|latency|duration|takes?|took|lasts?))?{_IS}{_ABOUT}(?P<v>{NUMBER})\s*ms\b",
            ),
        ),
        (
            "accept_length",
            "",
            (
                rf"(?:\baccept(?:ance|ed)?[ -]len(?:gth)?s?|\bAL\b|τ){_IS}{_ABOUT}(?P<v>{NUMBER})"
                r"(?!\s*(?:%|ms|x|×))",
                rf"{_ABOUT}(?P<v>{NUMBER})\s*(?:accepted )?tokens (?:per|a|each|every) {_CYCLES}",
            ),
        ),
    )
)


def prose_rows(sentences: Sequence[Sentence]) -> Iterator[Row]:
    """Yield a row for each sentence that gives an accept length, once, and what it can be checked against."""
    for sentence in sentences:
        row = Row(f"line {sentence.place().line}", sentence.short, sentence.place(), kind="prose")
        for metric, unit, patterns in _PATTERNS:
            found = {
                match.start("v"): match for pattern in patterns for match in pattern.finditer(sentence.text)
            }
            if len(found) == 1:
                (match,) = found.values()
                figure = sentence.figure(match, "v", unit, bool(match["about"]))
                add(row, Name(metric, unit if unit == "ms" else "", False, metric.replace("_", " ")), figure)
        steps = step_counts(sentence.text)
        row.num_steps = steps[0] if len(steps) == 1 else None
        row.batch = batch_in(sentence.text)
        compared = BASELINE.search(sentence.text) and "accept_length" not in row.measured
        if len(steps) < 2 and len(row.measured) + (row.num_steps is not None) >= 2 and not compared:
            yield row
