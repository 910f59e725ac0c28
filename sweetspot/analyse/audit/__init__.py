"""Reads somebody's published numbers, recomputes what follows from them, lists what contradicts. Pure."""

import re
from collections.abc import Sequence

from sweetspot.analyse.audit.banners import Banner, banner_spans, find_banners
from sweetspot.analyse.audit.changes import changes
from sweetspot.analyse.audit.conventions import readings
from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.grid import Table
from sweetspot.analyse.audit.prose import draft_tokens, said_speeds, sentences
from sweetspot.analyse.audit.records import json_spans, records_of
from sweetspot.analyse.audit.report import Finding, Report, format, ordered
from sweetspot.analyse.audit.rows import Row, requests_said, rows_of
from sweetspot.analyse.audit.rules import findings
from sweetspot.analyse.audit.tables import find_tables, without_tables

__all__ = ["Finding", "Report", "audit", "format"]

_MACHINE = re.compile(r"^\s*[\[{]|.*(?:Decode batch|Prefill batch|SpecDecoding metrics|server_args=)")
_HEADING = re.compile(r"^\s*(?:#+ |\*\*.*\*\*\s*:?\s*$)")
CONTEXT_LINES = 3  # above a table, where its batch size may stand


def audit(text: str, name: str) -> Report:
    """Return what in *text* contradicts itself.

    Args:
        text: Prose, tables, records, logs, in any mixture.
        name: What the report calls it, such as a path.
    """
    text = text.replace("\r\n", "\n").replace("\xa0", " ")
    bannerless = _blanked(text, banner_spans(text))
    tables = find_tables(bannerless)
    prose = without_tables(bannerless, tables)
    lines = prose.splitlines()
    headings = [at for at, line in enumerate(lines) if _HEADING.match(line)]
    rows: list[Row] = []
    unknown = ["tables in HTML"] if "<table" in text.lower() else []
    for table in tables:
        above = " ".join(lines[max(0, table.lines.start - CONTEXT_LINES) : table.lines.start])
        heading = next((lines[at] for at in reversed(headings) if at < table.lines.start), "")
        found, not_known = rows_of(table, above, heading)
        rows += found
        unknown += not_known
    rows += records_of(text, prose)
    requests = requests_said(prose)
    for row in rows:
        row.batch = requests if row.batch is None else row.batch
    banners = find_banners(text)
    spoken = sentences(_sentences_only(prose))
    said = list(said_speeds(spoken))
    facts = Facts(text, rows, readings(rows), spoken, said, draft_tokens(prose), banners)
    known = _understood(tables, rows, banners, facts)
    return Report(name, ordered(findings(facts)), tuple(known), tuple(unknown))


def _sentences_only(prose: str) -> str:
    """Return *prose* with spaces for logs and JSON, which are no sentences."""
    lines = _blanked(prose, json_spans(prose)).split("\n")
    return "\n".join(" " * len(line) if _MACHINE.match(line) else line for line in lines)


def _blanked(text: str, spans: Sequence[slice]) -> str:
    """Return *text* with spaces in *spans*, so that places stay what they are."""
    kept = list(text)
    for span in spans:
        kept[span] = "".join("\n" if character == "\n" else " " for character in text[span])
    return "".join(kept)


def _understood(
    tables: Sequence[Table], rows: Sequence[Row], banners: Sequence[Banner], facts: Facts
) -> list[str]:
    """Return what was read, a line for each table and kind of record."""
    told = []
    for table in tables:
        own = [row for row in rows if row.source == f"table {table.number}"]
        if own:
            names = dict.fromkeys(
                item.name.text for row in own for items in row.measured.values() for item in items
            )
            told.append(
                f"table {table.number} (line {table.header[0].place.line}): {len(own)} configurations; "
                + ", ".join(f"{name}" for name in names)
            )
    for kind in dict.fromkeys(row.kind for row in rows if row.kind != "table"):
        told.append(f"{sum(row.kind == kind for row in rows)} rows of kind {kind}")
    if banners:
        told.append(f"{len(banners)} EAGLE3_PROF banners")
    if facts.said:
        told.append(f"{len(facts.said)} speeds in prose")
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
