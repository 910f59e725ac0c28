"""Compares two studies: which inputs changed, which results did, and which of these are not noise. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from sweetspot.analyse.changed_inputs import InputChange, changed_inputs
from sweetspot.analyse.changed_results import (
    NUMBERS,
    ResultChange,
    VerdictChange,
    cells,
    changed_verdicts,
    compared_results,
    not_comparable,
)
from sweetspot.analyse.study_files import StudyFiles

_UNITS = {
    "decode_tokens_per_s": ("decode speed", 1, " tok/s"),
    "speedup": ("speedup", 1, ""),
    "accept_length": ("accept_length (bonus incl.)", 1, ""),
    "cycle_s": ("cycle", 1000, " ms"),
}


@dataclass(frozen=True)
class Comparison:
    """Two studies, side by side. Changes are from `a` to `b`."""

    a: str  # folder of the study
    b: str
    inputs: list[InputChange]
    results: list[ResultChange]  # all numbers that both have, also those that did not change
    verdicts: list[VerdictChange]
    winners: tuple[str | None, str | None]
    only_a: list[str]  # variants with their loads
    only_b: list[str]
    refusals: list[str]  # what may not be compared, and why


def compare(a: StudyFiles, b: StudyFiles) -> Comparison:
    """Return what differs between two studies."""
    in_a, in_b = cells(a), cells(b)
    reasons = {name: not_comparable(a, b, name) for name in NUMBERS}
    return Comparison(
        a=a.name,
        b=b.name,
        inputs=changed_inputs(a, b),
        results=compared_results(a, b),
        verdicts=changed_verdicts(a, b),
        winners=(a.verdict["winner"], b.verdict["winner"]),
        only_a=[_cell(*cell) for cell in in_a if cell not in in_b],
        only_b=[_cell(*cell) for cell in in_b if cell not in in_a],
        refusals=[
            f"{', '.join(_UNITS[name][0] for name in NUMBERS if reasons[name] == why)}: {why}"
            for why in dict.fromkeys(filter(None, reasons.values()))
        ],
    )


def describe(comparison: Comparison) -> str:
    """Return *comparison* for a reader: inputs first, then what they may have changed."""
    answered = [result for result in comparison.results if result.larger is not None]
    larger = [result for result in answered if result.larger]
    count = f"{len(larger) or 'none'} of {len(answered)}{_by_luck(len(answered))}"
    open_ = [result for result in comparison.results if result.larger is None and result.ratio is not None]
    lost = [result for result in comparison.results if _is_lost(result)]
    sections = [
        (f"Inputs that differ: {len(comparison.inputs) or 'none'}", map(_input, comparison.inputs)),
        ("Not compared", comparison.refusals),
        (f"Results that differ by more than their 95 % intervals: {count}", map(_result, larger)),
        ("Differences without an interval, one round on a side", map(_result, open_)),
        ("Measured in one study alone", map(_result, lost)),
        ("Verdicts that differ", _verdicts(comparison)),
        (f"Only in {comparison.a}", comparison.only_a),
        (f"Only in {comparison.b}", comparison.only_b),
    ]
    lines = [f"a: {comparison.a}", f"b: {comparison.b}"]
    for heading, entries in sections:
        listed = [f"  {entry}" for entry in entries]
        if listed or heading.startswith(("Inputs", "Results")):
            lines += ["", heading, *listed]
    return "\n".join(lines)


def _is_lost(result: ResultChange) -> bool:
    """Return whether one study has the number and the other, which may be compared, has not."""
    return result.ratio is None and (result.a is None) != (result.b is None)


def _by_luck(count: int) -> str:
    return f" compared ({count / 20:.2g} of so many do by luck alone)" if count else " compared"


def _input(change: InputChange) -> str:
    where = f" ({change.where})" if change.where else ""
    return f"{change.group}: {change.name} {change.a} -> {change.b}{where}"


def _result(change: ResultChange) -> str:
    heading, factor, unit = _UNITS[change.name]
    before, after = ("none" if n is None else f"{n * factor:.4g}" for n in (change.a, change.b))
    line = f"{_cell(change.variant, change.load)}: {heading} {before} -> {after}{unit}"
    if change.ratio is None:
        return f"{line}, {change.why}"
    if change.ratio.low is None:
        return f"{line}, x {change.ratio.centre:.4f}"
    return f"{line}, x {change.ratio.centre:.4f} [{change.ratio.low:.4f}, {change.ratio.high:.4f}]"


def _verdicts(comparison: Comparison) -> Iterator[str]:
    before, after = comparison.winners
    if before != after:
        yield f"the winner: {before or 'none'} -> {after or 'none'}"
    for change in comparison.verdicts:
        yield f"{_cell(change.variant, change.load)}: {change.a} -> {change.b}"


def _cell(variant: str, load: int) -> str:
    return f"{variant} at load {load}"
