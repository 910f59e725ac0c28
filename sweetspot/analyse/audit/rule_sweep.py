"""Rules about a sweep over step counts: what must rise, what was not measured, what is not one run. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from sweetspot.analyse.audit.conventions import NOISE, Reading
from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.report import Finding

FALL = 0.05  # relative; a smaller fall may be chance
_PARALLEL = re.compile(r"dflash|dspark|block|n-?gram|lookup|tree|suffix|medusa|adaptive", re.IGNORECASE)
_LENGTH_FALLS = re.compile(
    r"accept(?:ance|ed)?[ -]len(?:gth)?s?\b(?:(?!\b(?:not|never|n't|rate)\b)[^.;:]){0,50}?"
    r"\b(?:drops?|dropped|falls?|fell|decreas\w+|declin\w+|shrinks?|shrank|goes down|went down|gets worse"
    r"|worsens)\b",
    re.IGNORECASE,
)
_COMPLETE = re.compile(
    r"definitive|conclusive|exhaustive|beyond doubt|(?:further|more|additional) (?:[\w-]+ ){0,3}(?:tuning"
    r"|search|sweeps?)"
    r"(?: \w+){0,2} (?:unnecessary|not needed|not necessary|needless|pointless)|no (?:further|more) "
    r"(?:[\w-]+ ){0,3}tuning"
    r"|(?:all|every) step counts?|proven optimal|proves? (?:that )?[\w-]+ (?:is|to be) (?:the )?(?:best"
    r"|optimal)",
    re.IGNORECASE,
)
_BEST = re.compile(r"\boptim(?:al|um)\b|sweet[ -]spot|\bbest\b|\bfastest\b", re.IGNORECASE)
_ABOUT_BEST = re.compile(r"optim|sweet|best|fastest|winner|tuning|sweep|search", re.IGNORECASE)
_STEP_WORDS = re.compile(r"\bsteps?\b|step-count|num_steps", re.IGNORECASE)
_NEUTRAL = re.compile(
    r"\b(?:steps?|default|best|optimal|winner|ours?|current|prod\w*|one|two|three|four|five)\b", re.I
)
_PLAIN_WORD = re.compile(r"[^\W\d_]{2,}")


def accept_length_falls(facts: Facts) -> Iterator[Finding]:
    """With more steps of one chain drafter, a cycle can't accept fewer tokens."""
    for rows in facts.tables:
        chain = _chain(facts.readings_of(rows))
        for before, after in pairwise(chain):
            fall = 1 - after.with_bonus.high / before.with_bonus.low
            if fall > FALL:
                yield Finding(
                    "contradiction",
                    "accept-length-falls",
                    after.stated.place,
                    after.row.called,
                    f"accept length falls from {before.stated.text} at {before.row.drafts} steps to "
                    f"{after.stated.text} at {after.row.drafts}; more positions can only add",
                    (before.stated.text, after.stated.text),
                    "other prompts, another draft, or another convention in one of the two rows",
                )
        if len(chain) < 2 or not any(reading.convention == "excluded" for reading in chain):
            continue
        lengths = [reading.with_bonus.middle for reading in chain]
        if any(after < before * (1 - NOISE) for before, after in pairwise(lengths)):
            continue
        told = ", ".join(f"{length:.3g} at {r.row.drafts}" for length, r in zip(lengths, chain, strict=True))
        for sentence in facts.sentences:
            match = _LENGTH_FALLS.search(sentence.text)
            if match and _STEP_WORDS.search(sentence.text):
                yield Finding(
                    "contradiction",
                    "accept-length-falls",
                    sentence.place(match.start()),
                    sentence.short,
                    f"said to fall with more steps, but the bonus token included it rises: {told}",
                    tuple(reading.stated.text for reading in chain),
                    "rows of two conventions were compared as they stand",
                )


def sweep_gaps(facts: Facts) -> Iterator[Finding]:
    """A best step count is known only if the step counts beside it were measured."""
    speeds = {
        row.num_steps: speed.low
        for row in facts.rows
        if row.num_steps and (row.topk or 1) == 1 and (speed := row.first("tokens_per_s")) is not None
    }
    batches = {row.batch for row in facts.rows if row.num_steps}
    if len(speeds) < 2 or len(batches) > 1:
        return
    best = max(speeds, key=lambda steps: speeds[steps])
    inner = [
        steps for steps in (best - 1, best + 1) if min(speeds) < steps < max(speeds) and steps not in speeds
    ]
    above = [best + 1] if best == max(speeds) else []
    for pattern, kind, missing in ((_COMPLETE, "contradiction", inner + above), (_BEST, "warning", inner)):
        said = [
            (sentence, match)
            for sentence in facts.sentences
            if (match := pattern.search(sentence.text))
            and _STEP_WORDS.search(sentence.text)
            and _ABOUT_BEST.search(sentence.text)
        ]
        if not missing or not said:
            continue
        sentence, match = said[0]
        if not inner and re.match(r"all|every", match.group(), re.IGNORECASE):
            continue
        measured = ", ".join(map(str, sorted(speeds)))
        gap = [steps for steps in range(min(speeds), max(speeds)) if steps not in speeds] or missing
        yield Finding(
            "contradiction" if kind == "contradiction" else "warning",
            "sweep-gaps",
            sentence.place(match.start()),
            sentence.short,
            f"'{match.group()}' with steps {measured} measured: {', '.join(map(str, gap))} never were, "
            f"next to the best, {best}",
            (measured,),
            "the sweep has a gap at its optimum",
        )
        return


def _chain(table: Sequence[Reading]) -> list[Reading]:
    """Return the readings of one chain drafter by rising steps; none if the table mixes things."""
    found = [r for r in table if r.row.drafts and (r.row.topk or 1) == 1 and r.convention != "neither"]
    if any(_PARALLEL.search(reading.row.label) for reading in found) or any(
        r.row.kind == "log" for r in found
    ):
        return []
    if len({frozenset(_PLAIN_WORD.findall(_NEUTRAL.sub("", reading.row.words))) for reading in found}) > 1:
        return []
    steps = [reading.row.drafts for reading in found]
    if len(set(steps)) != len(steps) or len({reading.row.batch for reading in found}) > 1:
        return []
    return sorted(found, key=lambda reading: reading.row.drafts or 0)
