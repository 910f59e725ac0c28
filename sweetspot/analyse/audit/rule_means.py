"""Rules about means in a table: a mean lies among the figures that it is of. Pure."""

import re
from collections.abc import Iterator, Sequence

from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.matrix import Matrix
from sweetspot.analyse.audit.report import Finding

ENOUGH = 3  # figures that a mean is of
FITTING = 2  # means that must be plain ones, before another must be
CLOSE = 0.006  # relative; beyond rounding
OFF = 0.02  # relative
_MEAN = re.compile(r"^(?:the )?(?:overall )?(?:avg\.?|average|mean)\b\s*")
_SETTING = re.compile(
    r"^(?:k|γ|t|bs|#)$|batch|conc|steps?|temp|top|depth|layer|size|params?|budget|width|token"
)


def means(facts: Facts) -> Iterator[Finding]:
    """A mean lies among its figures, and is a plain one where others beside it are."""
    for upright in facts.matrices:
        for matrix in (upright, upright.turned):
            for index, name in enumerate(matrix.names):
                if _MEAN.match(name):
                    yield from _column(matrix, index)


def means_read(facts: Facts) -> int:
    """Return how many columns and rows of means the tables hold."""
    return sum(
        1
        for upright in facts.matrices
        for matrix in (upright, upright.turned)
        for index, name in enumerate(matrix.names)
        if _MEAN.match(name) and len(_parts(matrix, index)) >= ENOUGH
    )


def _column(matrix: Matrix, index: int) -> Iterator[Finding]:
    """Yield what is wrong in one column of means."""
    columns = _parts(matrix, index)
    known = []
    for label, row in zip(matrix.labels, matrix.figures, strict=True):
        stated, parts = row[index], [figure for j in columns if (figure := row[j]) is not None]
        if stated is not None and len(parts) >= ENOUGH and len({part.unit for part in parts}) == 1:
            known.append((label, stated, parts))
    plain = [_plain(stated, parts, CLOSE) for _, stated, parts in known]
    usual = sum(plain) >= max(FITTING, 0.6 * len(known))
    for label, stated, parts in known:
        low, high = min(part.interval.low for part in parts), max(part.interval.high for part in parts)
        outside = not stated.interval.meets(Interval(low, high), CLOSE)
        if usual and (outside or not _plain(stated, parts, OFF)):
            yield _finding(label, stated, parts)


def _parts(matrix: Matrix, index: int) -> list[int]:
    """Return the columns that a mean is of: those before it, back to another mean; of the kind it names."""
    rest = _MEAN.sub("", matrix.names[index]).strip(" .:")
    found = []
    for j in range(index - 1, -1, -1):
        if _MEAN.match(matrix.names[j]):
            if not rest:
                break
            continue
        if not _SETTING.search(matrix.names[j]) and (not rest or matrix.names[j].endswith(rest)):
            found.append(j)
    return found


def _plain(stated: Figure, parts: Sequence[Figure], relative: float) -> bool:
    """Return whether a mean is that of its figures, each counted once."""
    low, high = (sum(getattr(part.interval, end) for part in parts) / len(parts) for end in ("low", "high"))
    return stated.interval.meets(Interval(low, high), relative)


def _finding(label: str, stated: Figure, parts: Sequence[Figure]) -> Finding:
    """Return the finding on one mean."""
    mean = sum(part.low for part in parts) / len(parts)
    told = ", ".join(part.text for part in reversed(parts))
    return Finding(
        "contradiction",
        "mean",
        stated.place,
        label,
        f"mean {stated.text}, but that of {told} is {mean:.4g}",
        (stated.text, *(part.text for part in reversed(parts))),
        "computed from other figures, or one of them was changed later",
    )
