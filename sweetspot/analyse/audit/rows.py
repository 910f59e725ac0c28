"""One row of a table or record: a configuration, what was measured of it, and where it stands. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sweetspot.analyse.audit.figures import Figure, Place, seconds
from sweetspot.analyse.audit.names import BASELINE, TIMES, Name
from sweetspot.analyse.audit.words import english

SETTINGS = ("num_steps", "topk", "draft_tokens", "spec_tokens", "batch")
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
COUNTS = {"accept_length": "accepted_tokens", "draft_tokens": "drafted_tokens"}  # of a whole run, if large
REPEATED = {"position_share"}  # metrics of which a record holds several
LARGEST = {"accept_length": 65, "draft_tokens": 512}


@dataclass(frozen=True)
class Measured:
    """One figure of a row, and the name it stands under."""

    name: Name
    figure: Figure
    batch: int | None = None  # if the name says so


@dataclass
class Row:
    """One configuration of a table, a record or a log."""

    source: str  # table 1, record 2, ...
    label: str
    place: Place
    words: str = ""  # all that the row says besides figures
    measured: dict[str, list[Measured]] = field(default_factory=dict)
    tails: dict[str, dict[str, Figure]] = field(default_factory=dict)  # what -> mean, median, p99, ...
    num_steps: int | None = None
    topk: int | None = None
    draft_tokens: int | None = None  # as SGLang counts them: the root of the tree too
    spec_tokens: int | None = None  # drafts a cycle, as vLLM counts them
    batch: int | None = None
    baseline: bool = False
    kind: str = "table"  # table, record, bench_speculative, log

    def first(self, metric: str) -> Figure | None:
        """Return the first figure of *metric*, or None."""
        found = self.measured.get(metric)
        return found[0].figure if found else None

    @property
    def drafts(self) -> int | None:
        """Drafts in the longest chain that a cycle can accept, or None if it is not told."""
        return self.num_steps if self.num_steps is not None else self.spec_tokens

    @property
    def called(self) -> str:
        """How messages name it."""
        return f"{self.source}, {self.label}" if self.label else self.source


def add(row: Row, name: Name, figure: Figure) -> None:
    """Put a figure into *row* in seconds and tokens, or into its settings."""
    metric = name.metric
    whole = figure.low == round(figure.low) and not figure.is_range and figure.low >= 0
    if metric in LARGEST and figure.low >= LARGEST[metric]:
        if whole:
            row.measured.setdefault(COUNTS[metric], []).append(Measured(name, figure))
        return
    if metric == "mean_requests" and figure.step == 1:
        metric = "batch"
    if metric in SETTINGS:
        if whole and figure.step == 1:
            setattr(row, metric, int(figure.low))
        return
    if metric == "change" and figure.unit in {"x", "×"}:
        metric = "speedup"
    if metric == "speedup" and figure.unit == "%":
        metric = "change"
    if name.statistic and (figure.unit or name.unit or metric not in TIMES):
        row.tails.setdefault(name.subject, {}).setdefault(name.statistic, figure)
    if metric.removeprefix("baseline_") in TIMES or metric == "total_s":
        unit = figure.unit if seconds(figure.unit) is not None else name.unit
        if figure.unit and seconds(figure.unit) is None:
            return
        factor = seconds(unit) if unit else (1.0 if figure.high < 1 or metric == "duration_s" else 1e-3)
        figure = figure.scaled(factor or 1.0, "s")
    if metric == "accept_rate":
        percent = figure.unit == "%" or "%" in name.text or (figure.high > 1 and figure.low > 1)
        if figure.high > (110 if percent else 1):
            return
        figure = figure.scaled(0.01, "") if percent else figure
    if name.typical and (row.kind == "table" or metric in REPEATED or metric not in row.measured):
        batch = batch_in(name.text)
        row.measured.setdefault(metric, []).append(Measured(name, figure, batch))


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
