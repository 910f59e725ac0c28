"""Rules about the phases of a cycle in tables and records: their sum, and what draft steps cost. Pure."""

from collections.abc import Iterator
from itertools import pairwise

from sweetspot.analyse.audit.conventions import NOISE
from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.report import Finding

PHASES = ("draft_s", "verify_s", "extend_s", "other_s")


def phase_sum(facts: Facts) -> Iterator[Finding]:
    """Draft and verify can't take longer than the cycle they are part of."""
    for row in facts.rows:
        total = row.first("cycle_s")
        parts = [figure for name in PHASES if (figure := row.first(name)) is not None]
        if total is None or len(parts) < 2 or row.first("verify_s") is None:
            continue
        low = sum(part.interval.low for part in parts)
        high = sum(part.interval.high for part in parts)
        whole = total.interval
        complete = row.first("other_s") is not None and row.first("draft_s") is not None
        if low > whole.high * (1 + NOISE / 3) or (complete and high < whole.low * (1 - NOISE / 3)):
            yield Finding(
                "contradiction",
                "phase-sum",
                total.place,
                row.called,
                f"the phases add up to {(low + high) / 2 * 1e3:.4g} ms, the cycle is "
                f"{total.low * 1e3:.4g} ms",
                (*(f"{part.low * 1e3:.4g} ms" for part in parts), f"{total.low * 1e3:.4g} ms"),
                "phases and cycle were measured in different runs, or phases overlap",
            )


def draft_time_falls(facts: Facts) -> Iterator[Finding]:
    """More draft steps should not take less time: a hint that the clock did not wait for the device."""
    for rows in facts.tables:
        steps = sorted(
            (
                (row.num_steps, draft, row)
                for row in rows
                if row.num_steps and (draft := row.first("draft_s"))
            ),
            key=lambda item: item[0],
        )
        if len({row.batch for _, _, row in steps}) > 1 or len({number for number, _, _ in steps}) < len(
            steps
        ):
            continue
        falls = [b for a, b in pairwise(steps) if b[1].interval.high < a[1].interval.low * 0.97]
        if falls:
            told = ", ".join(f"{draft.low * 1e3:.3g} ms at {number}" for number, draft, _ in steps)
            yield Finding(
                "warning",
                "draft-time-falls",
                falls[0][1].place,
                falls[0][2].called,
                f"draft time falls as steps rise: {told}",
                tuple(f"{draft.low * 1e3:.3g} ms" for _, draft, _ in steps),
                "launches timed without waiting for the device, or one step runs without a captured graph",
            )
