"""What an audit found, and how it is printed. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from sweetspot.analyse.audit.places import Place

Kind = Literal["contradiction", "warning"]


@dataclass(frozen=True)
class Finding:
    """One statement that the other figures contradict, or that they leave in doubt."""

    kind: Kind
    rule: str  # id of the rule that found it, see docs/audit.md
    place: Place
    where: str  # table and row, banner, or the words of the claim
    message: str  # what was said and what follows from the other figures
    figures: tuple[str, ...]  # as printed, in the order in which the message needs them
    cause: str  # the likely one


@dataclass(frozen=True)
class Report:
    """All findings about one text, and how much of it was read."""

    name: str
    findings: tuple[Finding, ...]
    understood: tuple[str, ...]
    not_understood: tuple[str, ...]

    @property
    def contradictions(self) -> tuple[Finding, ...]:
        """The findings that are more than doubts."""
        return tuple(finding for finding in self.findings if finding.kind == "contradiction")

    @property
    def exit_code(self) -> int:
        """1 if anything contradicts itself; warnings do not count."""
        return 1 if self.contradictions else 0


def ordered(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return each finding once, contradictions first, then as they stand in the text."""
    once: dict[tuple[str, Place, str], Finding] = {}
    for found in findings:
        once.setdefault((found.rule, found.place, found.figures[0]), found)
    return tuple(sorted(once.values(), key=lambda found: (found.kind != "contradiction", found.place)))


def format(report: Report) -> str:
    """Return the report for a terminal."""
    doubts = len(report.findings) - len(report.contradictions)
    head = (
        f"{report.name}: {_count(len(report.contradictions), 'contradiction')}, {_count(doubts, 'warning')}"
    )
    parts = [head, *(_paragraph(finding) for finding in report.findings)]
    parts += [
        _list("understood", report.understood) or "understood: no figure that another one could contradict",
        _list("not understood", report.not_understood),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _paragraph(finding: Finding) -> str:
    """Return one finding."""
    return (
        f"{finding.kind} [{finding.rule}] at {finding.place} ({finding.where})\n"
        f"  {finding.message}\n"
        f"  figures: {', '.join(finding.figures)}\n"
        f"  likely cause: {finding.cause}"
    )


def _list(title: str, lines: Sequence[str]) -> str:
    """Return a titled list; of a list without lines, nothing."""
    return "\n".join([f"{title}:", *(f"  {line}" for line in lines)]) if lines else ""


def _count(number: int, what: str) -> str:
    """Return `1 warning`, `2 warnings`."""
    return f"{number} {what}" + ("" if number == 1 else "s")
