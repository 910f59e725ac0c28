"""Rules about runs of one configuration that can't have had the same work. Pure."""

import re
from collections.abc import Iterator, Sequence

from sweetspot.analyse.audit.changes import moves
from sweetspot.analyse.audit.conventions import Reading, implied_lengths
from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.prose import Said
from sweetspot.analyse.audit.report import Finding
from sweetspot.analyse.audit.rows import Row

Implied = tuple[Interval, Figure, Figure, int]
APART = 0.04  # relative; two runs of one configuration that differ by more had other work
_TUNING = re.compile(
    r"nccl|tun(?:ed|ing)|\bring\b|\bll\d*\b|proto|p2p|all-?reduce|default env", re.IGNORECASE
)


def same_configuration(facts: Facts) -> Iterator[Finding]:
    """Tuning communication must not change how many tokens a cycle yields: else the runs had other work."""
    for said, verify, reading, rest in _untuned(facts):
        assert reading.implied is not None
        untuned = said.speed.low * (verify.low / 1e3 + rest)
        least, tuned = said.speed.low * verify.low / 1e3, reading.implied.middle
        if abs(untuned / tuned - 1) <= APART:
            continue
        yield Finding(
            "contradiction",
            "same-configuration",
            said.speed.place,
            f"{said.num_steps}-step, untuned and tuned",
            f"not the same workload: {said.speed.text} tok/s x ({verify.text} + {rest * 1e3:.2f} ms) = "
            f"{untuned:.3f} tokens a cycle untuned ({least:.3f} if the other phases took no time), "
            f"{tuned:.3f} tuned",
            (said.speed.text, verify.text, reading.stated.text),
            "prompts, lengths or code differed between the two runs",
        )
    for rows in facts.tables:
        yield from _same_in_table(rows)


def untuned_lengths(facts: Facts) -> Iterator[tuple[str, float]]:
    """Yield tokens a cycle of runs that prose tells of, before tuning."""
    for said, verify, _, rest in _untuned(facts):
        yield f"the untuned {said.num_steps}-step run", said.speed.low * (verify.low / 1e3 + rest)


def _untuned(facts: Facts) -> Iterator[tuple[Said, Figure, Reading, float]]:
    """Yield speeds before tuning, the verify time before it, the tuned row, its other phases' seconds.

    The verify time is the first operand of a `from A to B` whose second is the tuned row's.
    """
    pairs = [
        pair for sentence in facts.sentences for pair in moves(sentence) if pair[0].unit.startswith("ms")
    ]
    for said in facts.said:
        for reading in facts.readings:
            verify, cycle = reading.row.first("verify_s"), reading.row.first("cycle_s")
            if not said.untuned or said.num_steps is None or reading.row.num_steps != said.num_steps:
                continue
            if reading.implied is None or verify is None or cycle is None:
                continue
            for before, after in pairs:
                if abs(after.low / 1e3 - verify.low) <= after.step / 2e3 + verify.step / 2:
                    yield said, before, reading, cycle.low - verify.low


def _same_in_table(rows: Sequence[Row]) -> Iterator[Finding]:
    """Yield rows of a table that differ in tuning alone, and in tokens a cycle."""
    seen: dict[tuple[int | None, ...], tuple[Row, Implied]] = {}
    for other in rows:
        second = next(implied_lengths(other), None)
        if other.drafts is None or second is None:
            continue
        row, first = seen.setdefault((other.drafts, other.topk, other.batch), (other, second))
        if _TUNING.search(f"{row.label} {other.label}") and not first[0].meets(second[0], APART):
            yield Finding(
                "contradiction",
                "same-configuration",
                other.place,
                f"{row.called} and {other.label}",
                f"not the same workload: {first[0].middle:.3f} and {second[0].middle:.3f} tokens a cycle at "
                f"{row.drafts} steps, from speed x cycle time",
                (first[1].text, second[1].text),
                "prompts, lengths or code differed between the two runs",
            )
