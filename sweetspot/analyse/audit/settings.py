"""Reads the settings of a row out of labels and headings: steps, drafts, requests in flight. Pure."""

import re
from collections.abc import Sequence

from sweetspot.analyse.audit.names import BASELINE
from sweetspot.analyse.audit.rows import Row
from sweetspot.analyse.audit.words import english

_STEPS = re.compile(
    r"\b(\d{1,2})[- ]?steps?\b|\bsteps?\s*=\s*(\d{1,2})\b|\bsteps:?\s*(\d{1,2})\b"
    r"|num[_-]steps[ =:]*(\d{1,2})\b"
    r"|\bs(\d{1,2})k\d|^s(\d{1,2})\b",
    re.IGNORECASE,
)
_SPEC_TOKENS = re.compile(
    r"\b[kγ]\s*=\s*(\d{1,2})\b|(?:mtp|spec|eagle)\w*[ -]n\s*=\s*(\d{1,2})\b"
    r"|num[_-]spec\w*[_-]tokens[ =:]*(\d{1,2})\b"
    r"|\bmtp ?[-=:]? ?(\d)\b|(\d{1,2}) spec\w* tokens",
    re.IGNORECASE,
)
_TRIPLE = re.compile(r"\(?\b(\d{1,2})\s*[/,]\s*(\d{1,2})\s*[/,]\s*(\d{1,3})\b\)?")
_TOPK = re.compile(r"top-?k\s*[=:]?\s*(\d{1,2})\b|\bs\d{1,2}k(\d{1,2})", re.IGNORECASE)
_BATCH = re.compile(
    r"(?:\bbs|\bbatch(?:[ _-]size)?|\bconcurrency|\bconc|\bconcurrent requests|\bc)\s*(?:of"
    r"|[=:])?\s*(\d{1,4})\b|\b(\d{1,4})[ -]*(?:concurren\w+|parallel requests|streams|users)\b",
    re.IGNORECASE,
)


def configure(row: Row, label: str) -> None:
    """Read step counts and the like out of a label such as `2-step` or `EAGLE3 (3, 1, 4)`."""
    label = english(label)
    row.baseline = row.baseline or bool(BASELINE.search(label))
    if row.num_steps is None:
        row.num_steps = _integer(_STEPS, label)
    if row.spec_tokens is None:
        row.spec_tokens = _integer(_SPEC_TOKENS, label)
    if row.topk is None:
        row.topk = _integer(_TOPK, label)
    if row.batch is None:
        row.batch = batch_in(label)
    triple = _TRIPLE.search(label)
    if triple is None or row.num_steps is not None:
        return
    steps, topk, tokens = (int(part) for part in triple.groups())
    if (topk == 1 and tokens == steps + 1) or re.search(r"eagle|spec|mtp|nextn", label, re.IGNORECASE):
        row.num_steps, row.topk, row.draft_tokens = steps, topk, tokens


def configure_all(rows: Sequence[Row], heading: str) -> None:
    """Give the rows of one table the step count of its heading, and say whether its total is a cycle."""
    if all(row.drafts is None and row.draft_tokens is None for row in rows):
        for row in rows:
            row.num_steps, row.spec_tokens = _integer(_STEPS, heading), _integer(_SPEC_TOKENS, heading)
    for row in rows:
        totals = row.measured.pop("total_s", None)
        phases = "verify_s" in row.measured or "draft_s" in row.measured
        if totals and phases and "cycle_s" not in row.measured:
            row.measured["cycle_s"] = totals


def batch_in(text: str) -> int | None:
    """Return the requests in flight that *text* names first, or None."""
    return _integer(_BATCH, english(text))


def requests_said(prose: str) -> int | None:
    """Return the requests in flight that prose names, if it names one number alone."""
    named = {int(match[1] or match[2]) for match in _BATCH.finditer(prose)}
    if re.search(r"single[- ](?:stream|request|user)|one request at a time", prose, re.IGNORECASE):
        named.add(1)
    return named.pop() if len(named) == 1 else None


def _integer(pattern: re.Pattern[str], text: str) -> int | None:
    """Return the first whole number that *pattern* captures."""
    match = pattern.search(text)
    return None if match is None else int(next(group for group in match.groups() if group is not None))
