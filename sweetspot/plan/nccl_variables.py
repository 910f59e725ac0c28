"""Which variables a version of NCCL reads, and how it reads each. Pure but for the table beside it.

`nccl_variables.csv` was read in NCCL's sources, tag by tag: `kind` is how a value is parsed, `first` and
`last` are the tags that bound it, empty where it is in the oldest or the newest tag read.
"""

import csv
from difflib import get_close_matches
from functools import cache
from pathlib import Path

from sweetspot.plan.versions import Version, first_three

OLDEST: Version = (2, 27, 3)  # every SGLang that the plan knows comes with this one or a newer
NEWEST: Version = (2, 30, 7)
_TABLE = Path(__file__).with_suffix(".csv")
_PREFIX = "NCCL_"
_CLOSE = 0.6  # of 1 for equal names; the prefix, which all share, does not count


def nccl_version(packages: dict[str, str]) -> str | None:
    """Return the version of NCCL among an engine's *packages*, None where it has none of its own."""
    return next((packages[name] for name in sorted(packages) if name.startswith("nvidia-nccl-cu")), None)


def version(nccl: str | None) -> Version:
    """Return the three numbers of *nccl*: of the newest that was read where it is not known, or newer.

    Raises:
        StudyError: If it is no version, or one older than those that were read.
    """
    if nccl is None:
        return NEWEST
    return min(first_three("NCCL", nccl, OLDEST), NEWEST)


@cache
def kinds(at: Version) -> dict[str, str]:
    """Return each variable that NCCL reads at a version, and its kind.

    Kinds are `integer`, `algorithms`, `protocols`, `level` and `text`.
    """
    with _TABLE.open(newline="") as table:
        rows = list(csv.DictReader(table))
    return {
        row["name"]: row["kind"]
        for row in rows
        if _numbers(row["first"], OLDEST) <= at <= _numbers(row["last"], NEWEST)
    }


def suggestion(name: str, at: Version) -> str:
    """Return the variable that *name* was meant to be, or nothing if none is near."""
    stems = [known.removeprefix(_PREFIX) for known in kinds(at)]
    close = get_close_matches(name.removeprefix(_PREFIX), stems, n=1, cutoff=_CLOSE)
    return _PREFIX + close[0] if close else ""


def _numbers(tag: str, otherwise: Version) -> Version:
    if not tag:
        return otherwise
    major, minor, patch = map(int, tag.split("."))
    return major, minor, patch
