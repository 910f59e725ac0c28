"""Makes rows of tables and records: one configuration, what was measured of it, and where it stands. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from sweetspot.analyse.audit.figures import Figure, Place, plain, read_cell, seconds
from sweetspot.analyse.audit.grid import Cell, Table
from sweetspot.analyse.audit.names import BASELINE, TIMES, Name, understand

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
    r"|[=:])?\s*(\d{1,4})\b",
    re.IGNORECASE,
)


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


def rows_of(table: Table, context: str = "", heading: str = "") -> tuple[list[Row], list[str]]:
    """Return the configurations of a table, and what of it was not understood.

    Args:
        table: One configuration a row, or one a column (then metrics go down).
        context: The words just above it, where a batch size may stand.
        heading: The heading it stands under, where one step count for all of it may stand.
    """
    across = [understand(cell.text) for cell in table.header]
    down = [understand(row[0].text) for row in table.body]
    if not any(across) and not any(down):
        return [], [
            f"table {table.number} (line {table.header[0].place.line}): no column or row is known here"
        ]
    side = sum(name is not None for name in down)
    transposed = side > sum(name is not None for name in across[1:])
    if transposed:
        table = _turned(table)
        across = [understand(cell.text) for cell in table.header]
    unknown = [
        f"table {table.number}: {'row' if transposed else 'column'} '{cell.text}'"
        for index, (cell, name) in enumerate(zip(table.header, across, strict=True))
        if name is None
        and index > 0
        and cell.text
        and any(read_cell(r[index].text, r[index].place) for r in table.body)
    ]
    default_batch = _integer(_BATCH, context)
    rows = [_row(table, cells, across, default_batch) for cells in table.body]
    if all(row.drafts is None and row.draft_tokens is None for row in rows):
        for row in rows:
            row.num_steps, row.spec_tokens = _integer(_STEPS, heading), _integer(_SPEC_TOKENS, heading)
    for row in rows:
        if "total_s" in row.measured:
            totals = row.measured.pop("total_s")
            if ("verify_s" in row.measured or "draft_s" in row.measured) and "cycle_s" not in row.measured:
                row.measured["cycle_s"] = totals
    return [row for row in rows if row.measured], unknown


def _turned(table: Table) -> Table:
    """Return the table with rows and columns exchanged."""
    grid = [table.header, *table.body]
    turned = [[row[column] for row in grid] for column in range(len(table.header))]
    return Table(table.number, turned[0], turned[1:], table.lines, table.columns)


def _row(table: Table, cells: Sequence[Cell], names: Sequence[Name | None], batch: int | None) -> Row:
    """Return one configuration."""
    labels, row = [], Row(f"table {table.number}", "", cells[0].place)
    for cell, name in zip(cells, names, strict=True):
        figure = read_cell(cell.text, cell.place) if name is not None else None
        if name is None or figure is None:
            if name is None and cell.text:
                labels.append(plain(cell.text))
            continue
        add(row, name, figure)
    row.words = " ".join(labels)
    configure(row, row.words)
    row.label = labels[0] if labels else plain(cells[0].text)
    if row.batch is None:
        row.batch = batch
    return row


def add(row: Row, name: Name, figure: Figure) -> None:
    """Put a figure into *row* in seconds and tokens, or into its settings."""
    if name.metric in SETTINGS:
        if figure.step == 1 and not figure.is_range and figure.low >= 0:
            setattr(row, name.metric, int(figure.low))
        return
    metric = name.metric
    if metric == "change" and figure.unit in {"x", "×"}:
        metric = "speedup"
    if metric in TIMES or metric == "total_s":
        unit = figure.unit if seconds(figure.unit) is not None else name.unit
        if not unit and metric in {"draft_s", "verify_s", "extend_s", "other_s"} and figure.unit:
            return
        factor = seconds(unit) if unit else (1.0 if figure.high < 1 or metric == "duration_s" else 1e-3)
        figure = figure.scaled(factor or 1.0, "s")
    if metric == "accept_length" and not 0 <= figure.low <= figure.high < 65:
        return
    if metric == "accept_rate":
        percent = figure.unit == "%" or "%" in name.text
        if percent or figure.high <= 1:
            figure = figure.scaled(0.01, "") if percent else figure
        else:
            return
    row.measured.setdefault(metric, []).append(Measured(name, figure, _integer(_BATCH, name.text)))


def configure(row: Row, label: str) -> None:
    """Read step counts and the like out of a label such as `2-step` or `EAGLE3 (3, 1, 4)`."""
    row.baseline = row.baseline or bool(BASELINE.search(label))
    if row.num_steps is None:
        row.num_steps = _integer(_STEPS, label)
    if row.spec_tokens is None:
        row.spec_tokens = _integer(_SPEC_TOKENS, label)
    if row.topk is None:
        row.topk = _integer(_TOPK, label)
    if row.batch is None:
        row.batch = _integer(_BATCH, label)
    triple = _TRIPLE.search(label)
    if triple is None or row.num_steps is not None:
        return
    steps, topk, tokens = (int(part) for part in triple.groups())
    if (topk == 1 and tokens == steps + 1) or re.search(r"eagle|spec|mtp|nextn", label, re.IGNORECASE):
        row.num_steps, row.topk, row.draft_tokens = steps, topk, tokens


def requests_said(prose: str) -> int | None:
    """Return the requests in flight that prose names, if it names one number alone."""
    named = {int(match[1]) for match in _BATCH.finditer(prose)}
    if re.search(r"single[- ](?:stream|request|user)|one request at a time", prose, re.IGNORECASE):
        named.add(1)
    return named.pop() if len(named) == 1 else None


def _integer(pattern: re.Pattern[str], text: str) -> int | None:
    """Return the first whole number that *pattern* captures."""
    match = pattern.search(text)
    return None if match is None else int(next(group for group in match.groups() if group is not None))
