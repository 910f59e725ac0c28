"""Rules about what a table says of its rows over its baseline: speedups, changes in percent. Pure."""

from collections.abc import Callable, Iterator, Sequence

from sweetspot.analyse.audit.baselines import LOOSE, Ratios, ratios
from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.report import Finding
from sweetspot.analyse.audit.rows import Measured, Row

MANY = 3  # figures of a column, none of which fits: then it is the column that was not understood


def speedup(facts: Facts) -> Iterator[Finding]:
    """A stated speedup must be the row's speed over the baseline's."""
    yield from _stated(facts, "speedup", _fits_speedup)


def change(facts: Facts) -> Iterator[Finding]:
    """A stated percentage against the baseline must follow from the row and the baseline's."""
    yield from _stated(facts, "change", _fits_change)


def _stated(facts: Facts, rule: str, fits: Callable[[Figure, Sequence[Interval]], bool]) -> Iterator[Finding]:
    """Yield what no figures of the table give; if of many none fits, they are of something else: a doubt."""
    for rows in facts.tables:
        columns: dict[str, list[tuple[Row, Measured, Ratios, bool]]] = {}
        for row in rows:
            for item in row.measured.get(rule, []):
                stated = item.figure
                plain_one = stated.low <= 0 or stated.low == stated.high == 1 if rule == "speedup" else False
                if (
                    plain_one
                    or _of_decoding_alone(row, item)
                    or (rule == "change" and (stated.unit != "%" or stated.low == 0))
                ):
                    continue
                found = ratios(row, rows, item.name)
                if found[0]:
                    judged = columns.setdefault(item.name.text, [])
                    judged.append((row, item, found, fits(stated, found[0])))
        for judged in columns.values():
            wrong = [(row, item, found[1]) for row, item, found, fit in judged if not fit]
            doubt = len(wrong) == len(judged) >= MANY
            if doubt and not _has_baseline(rows):
                continue
            for row, item, shown in wrong[:1] if doubt else wrong:
                yield _wrong(row, rule, item, shown, doubt)


def _of_decoding_alone(row: Row, item: Measured) -> bool:
    """Return whether a speedup is of decoding, another of the whole, and no speed of decoding is given."""
    others = [
        other for other in row.measured.get("speedup", []) if not other.name.decode and not other.name.of
    ]
    speeds = [speed for speed in row.measured.get("tokens_per_s", []) if speed.name.decode]
    return item.name.decode and bool(others) and not speeds


def _has_baseline(rows: Sequence[Row]) -> bool:
    """Return whether a table names what its rows are compared with."""
    return any(row.baseline or any(key.startswith("baseline_") for key in row.measured) for row in rows)


def _fits_speedup(stated: Figure, found: Sequence[Interval]) -> bool:
    """Return whether a factor is one of the ratios."""
    span = Interval(stated.low - stated.step - stated.spread, stated.high + stated.step + stated.spread)
    return any(span.meets(ratio, LOOSE) for ratio in found)


def _fits_change(stated: Figure, found: Sequence[Interval]) -> bool:
    """Return whether a percentage follows from one of the ratios by a usual definition."""
    slack = 0.5 + stated.step + stated.spread
    span = Interval(abs(stated.low) - slack, abs(stated.low) + slack)
    return any(
        span.meets(Interval(100 * low, 100 * high))
        for r in found
        for low, high in (
            (r.low, r.high),
            (r.low - 1, r.high - 1),
            (1 - r.high, 1 - r.low),
            (1 / r.high - 1, 1 / r.low - 1),
            (1 - 1 / r.low, 1 - 1 / r.high),
        )
    )


def _wrong(
    row: Row, rule: str, item: Measured, shown: Sequence[tuple[Figure, Figure]], doubt: bool
) -> Finding:
    """Return the finding on a speedup or change that nothing in the table gives."""
    own, base = shown[0]
    text = f"{item.figure.text.rstrip('x×')}x" if rule == "speedup" else item.figure.text
    ratio = own.low / base.low
    return Finding(
        "warning" if doubt else "contradiction",
        rule,
        item.figure.place,
        row.called,
        f"{item.name.text} {text}, but {_shown(own)} over {_shown(base)} is {ratio:.3g}x ({ratio - 1:+.1%})"
        + ("; none of this column's fit" if doubt else ""),
        (text, _shown(own), _shown(base)),
        "another baseline, or figures of another run",
    )


def _shown(figure: Figure) -> str:
    """Return a figure without what stands in brackets behind it."""
    return figure.text.partition("(")[0].strip()
