"""Reads somebody's published numbers, recomputes what follows from them, lists what contradicts. Pure."""

import re
from collections.abc import Sequence

from sweetspot.analyse.audit.banners import banner_spans, find_banners
from sweetspot.analyse.audit.changes import changes
from sweetspot.analyse.audit.conventions import readings
from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.grid import Table, blanked
from sweetspot.analyse.audit.layout import named, rows_of
from sweetspot.analyse.audit.logs import give_settings, is_log, log_rows
from sweetspot.analyse.audit.matrix import matrices
from sweetspot.analyse.audit.prose import draft_tokens, said_speeds, sentences
from sweetspot.analyse.audit.records import equals_rows, find_blocks, find_documents, json_rows
from sweetspot.analyse.audit.report import Finding, Report, format, ordered
from sweetspot.analyse.audit.rows import Row
from sweetspot.analyse.audit.rule_lines import lines_read
from sweetspot.analyse.audit.rule_means import means_read
from sweetspot.analyse.audit.rules import findings
from sweetspot.analyse.audit.settings import requests_said
from sweetspot.analyse.audit.spoken import prose_rows
from sweetspot.analyse.audit.tables import find_tables
from sweetspot.measure.server_log import read_server_log

__all__ = ["Finding", "Report", "audit", "format"]

_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_HEADING = re.compile(r"^\s*(?:#+ |\*\*.*\*\*\s*:?\s*$)")
CONTEXT_LINES = 3  # above a table, where its batch size may stand


def audit(text: str, name: str) -> Report:
    """Return what in *text* contradicts itself.

    Args:
        text: Prose, tables, records, logs, in any mixture.
        name: What the report calls it, such as a path.
    """
    text = _BREAKS.sub("\n", text).replace("\xa0", " ")
    documents, banners = find_documents(text), find_banners(text)
    left = blanked(text, [document.span for document in documents] + banner_spans(text))
    left = _without_lines(left, [at for at, line in enumerate(left.split("\n")) if is_log(line)])
    blocks = list(find_blocks(left))
    left = _without_lines(left, [at for block in blocks for at in block.lines])
    tables, prose = find_tables(left)
    rows, unknown = _table_rows(tables, prose)
    records = list(json_rows(documents)) or [*(block.row for block in blocks), *equals_rows(prose)]
    log = read_server_log(text)
    records += log_rows(log)
    give_settings(records, text)
    rows += records
    unknown += [f"{block.row.source}: {', '.join(block.unknown)}" for block in blocks if block.unknown]
    spoken = sentences(prose)
    rows += prose_rows(spoken)
    requests = requests_said(prose)
    for row in rows:
        row.batch = requests if row.batch is None else row.batch
    said = list(said_speeds(spoken))
    facts = Facts(
        text,
        rows,
        readings(rows),
        spoken,
        said,
        draft_tokens(prose),
        banners,
        log,
        matrices([named(table) for table in tables]),
    )
    return Report(name, ordered(findings(facts)), tuple(_understood(tables, facts)), tuple(unknown))


def _table_rows(tables: Sequence[Table], prose: str) -> tuple[list[Row], list[str]]:
    """Return the configurations of all tables, and what of these was not understood."""
    lines = prose.split("\n")
    headings = [at for at, line in enumerate(lines) if _HEADING.match(line)]
    rows: list[Row] = []
    unknown: list[str] = []
    for table in tables:
        above = " ".join(lines[max(0, table.lines.start - CONTEXT_LINES) : table.lines.start])
        heading = next((lines[at] for at in reversed(headings) if at < table.lines.start), "")
        found, not_known = rows_of(table, above, heading)
        rows += found
        unknown += not_known
    return rows, unknown


def _without_lines(text: str, lines: Sequence[int]) -> str:
    """Return *text* with spaces for whole lines."""
    kept = text.split("\n")
    for at in lines:
        kept[at] = " " * len(kept[at])
    return "\n".join(kept)


def _understood(tables: Sequence[Table], facts: Facts) -> list[str]:
    """Return what was read, a line for each table and kind of record."""
    told = []
    lines = {f"table {table.number}": table.header[0].place.line for table in tables}
    for rows in facts.tables:
        source = rows[0].source
        if rows[0].kind != "table":
            told.append(f"{len(rows)} rows of kind {rows[0].kind}")
            continue
        names = dict.fromkeys(
            item.name.text for row in rows for items in row.measured.values() for item in items
        )
        told.append(f"{source} (line {lines[source]}): {len(rows)} configurations; {', '.join(names)}")
    if facts.banners:
        told.append(f"{len(facts.banners)} EAGLE3_PROF banners")
    if facts.said:
        told.append(f"{len(facts.said)} speeds in prose")
    if printed := lines_read(facts.text):
        told.append(f"{printed} lines with a quotient and its terms")
    if means := means_read(facts):
        told.append(f"{means} columns or rows of means")
    claims = sum(1 for sentence in facts.sentences for _ in changes(sentence))
    if claims:
        told.append(f"{claims} claims of change with both operands")
    for group in facts.tables:
        found = {reading.convention for reading in facts.readings_of(group)}
        if "excluded" in found and "included" not in found:
            told.append(
                f"{group[0].source}: accept length counts drafts alone there, without the bonus token"
            )
    return told
