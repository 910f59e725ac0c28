"""Finds among many cases the few that do not follow from their operands as the rest do. Pure."""

from collections.abc import Callable, Iterable, Iterator

from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.report import Finding

Case = tuple[str, Figure, Figure, Figure]  # where, what is stated, and its two operands
ENOUGH = 3  # figures that must follow, before another one can fail to
MOST = 0.75  # of all figures must
TIGHT = {"x": 0.003, "%": 0.1}  # beyond rounding, to follow
LOOSE = 0.03  # relative, to be let pass
LEAST = {"x": 1.0, "%": 20.0}  # that this is taken of
SPREAD = {"x": 0.1, "%": 2.0}  # between the least and the most, or anything follows
_DEFINITIONS: dict[str, tuple[Callable[[Interval, Interval], Interval], ...]] = {
    "x": (lambda a, b: a.over(b),),
    "%": (
        lambda a, b: _percent(a.over(b).low - 1, a.over(b).high - 1),
        lambda a, b: _percent(1 - a.over(b).high, 1 - a.over(b).low),
        lambda a, b: _percent(a.over(b).low, a.over(b).high),
    ),
}


def breaking(kind: str, found: Iterable[list[Case]], alone: bool = False) -> Iterator[Finding]:
    """Yield the cases that break the pattern that most cases follow.

    Args:
        kind: x for factors, % for percentages.
        found: The cases for each choice of operands.
        alone: There is one pair of columns that it may be of: fewer cases prove it then.
    """
    best: tuple[int, list[Case], list[bool]] | None = None
    enough = 2 if alone else ENOUGH
    for cases in found:
        cases = [case for case in cases if _are_operands(*case[2:], alone)]
        if len(cases) <= enough:
            continue
        for definition in _DEFINITIONS[kind]:
            fits = [_follows(kind, stated, definition(_printed(a), _printed(b))) for _, stated, a, b in cases]
            told = [stated.low for (_, stated, _, _), fit in zip(cases, fits, strict=True) if fit]
            proved = sum(fits) >= max(enough, MOST * len(fits) - alone) and len(set(told)) >= enough
            if proved and max(told) - min(told) > SPREAD[kind] and (best is None or sum(fits) > best[0]):
                wide = [
                    _may_be(kind, stated, definition(a.interval, b.interval)) for _, stated, a, b in cases
                ]
                best = sum(fits), cases, wide
    for case, fit in zip(best[1], best[2], strict=True) if best else ():
        if not fit:
            yield _finding(kind, case, best[0] if best else 0)


def _are_operands(a: Figure, b: Figure, alone: bool) -> bool:
    """Return whether others may be computed from two figures; from factors only if there are no others."""
    units = {kind_of(a), kind_of(b)}
    whole = a.low > 0 and b.low > 0 and not a.is_range and not b.is_range
    return whole and (units == {""} or (alone and len(units) == 1))


def _printed(figure: Figure) -> Interval:
    """Return what a figure may stand for by its digits alone."""
    return Interval(figure.low - figure.step / 2, figure.low + figure.step / 2)


def _follows(kind: str, stated: Figure, computed: Interval) -> bool:
    """Return whether a stated figure is the computed one, cut or rounded."""
    return _near(kind, stated, computed, stated.step + TIGHT[kind])


def _may_be(kind: str, stated: Figure, computed: Interval) -> bool:
    """Return whether a stated figure may be the computed one, if the operands are means with a spread."""
    return _near(
        kind, stated, computed, stated.step + stated.spread + LOOSE * max(LEAST[kind], abs(stated.low))
    )


def _near(kind: str, stated: Figure, computed: Interval, slack: float) -> bool:
    """Return whether the two are as near as this; a reduction may be stated with or without its sign."""
    spans = [stated.low] if kind == "x" else [stated.low, abs(stated.low)]
    return any(Interval(value - slack, value + slack).meets(computed) for value in spans)


def _finding(kind: str, case: Case, followed: int) -> Finding:
    """Return the finding on one case."""
    label, stated, a, b = case
    ratio = a.low / b.low
    shown = [figure.text.partition("(")[0].strip() for figure in (a, b)]
    return Finding(
        "contradiction",
        "speedup" if kind == "x" else "change",
        stated.place,
        label,
        f"{stated.text}, but {shown[0]} over {shown[1]} is {ratio:.3g}x ({ratio - 1:+.1%}); "
        f"{followed} figures beside it follow from theirs",
        (stated.text, *shown),
        "edited by hand, or figures of another run",
    )


def kind_of(figure: Figure) -> str:
    """Return x or % for a figure with such a unit."""
    return {"x": "x", "×": "x", "%": "%"}.get(figure.unit, "")


def _percent(low: float, high: float) -> Interval:
    """Return shares in percent."""
    return Interval(100 * low, 100 * high)
