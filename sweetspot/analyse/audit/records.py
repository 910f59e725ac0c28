"""Reads records into rows: JSON and JSON lines, `key: value` blocks, `key=value` lines. Pure."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sweetspot.analyse.audit.figures import read_cell
from sweetspot.analyse.audit.fill import add
from sweetspot.analyse.audit.names import understand
from sweetspot.analyse.audit.places import Place
from sweetspot.analyse.audit.rows import SETTINGS, Row
from sweetspot.analyse.audit.settings import configure

Json = Any
MIN_KNOWN = 2  # names that must be known before pairs count as a record
TRIED = 50  # beginnings of documents over several lines that turn out to be none
_OPENS = re.compile(r"\{\s*[\"}]|\[\s*[\[{\]\"\d-]")
_LINE_PAIR = re.compile(r"^\s*[-*]?\s*(?P<key>[A-Za-z#][^:|]{1,60}?)\s*:\s+(?P<value>[^\s|][^|]{0,40}?)\s*$")
_BETWEEN = re.compile(r"^\s*[-=]{3,}|^\s*(?:\S+ ){0,4}\S*:\s*$")
_EQUALS = re.compile(r"(?P<key>[A-Za-z_]+)=(?P<value>[\d.]+(?: (?:token/s|tok/s|ms|s)\b)?)")
_STATISTICS = ("mean", "avg", "median", "min", "p50", "p75", "p90", "p95", "p99", "max")


class Document(NamedTuple):
    """A JSON value, and where in the text it stands."""

    value: Json
    line: int  # from 1
    span: slice


class Block(NamedTuple):
    """A record of `key: value` lines, and the lines that it takes, from 0."""

    row: Row
    lines: range
    unknown: list[str]  # keys of figures that nothing here knows


def find_documents(text: str) -> list[Document]:
    """Return the JSON documents in *text*: those on one line, and the first few on more."""
    found, offset, resume, failed = [], 0, 0, 0
    for number, line in enumerate(text.split("\n"), start=1):
        start = offset + len(line) - len(line.lstrip())
        if offset >= resume and _OPENS.match(text, start):
            parsed = _decoded(line.strip(), 0) if line.rstrip().endswith(("}", "]")) else None
            if parsed is None and failed < TRIED:
                parsed = _decoded(text, start)
                failed += parsed is None
            elif parsed is not None:
                parsed = parsed[0], start + parsed[1]
            if parsed is not None:
                found.append(Document(parsed[0], number, slice(start, parsed[1])))
                resume = parsed[1]
        offset += len(line) + 1
    return found


def _decoded(text: str, start: int) -> tuple[Json, int] | None:
    """Return the JSON value that begins at *start*, and where it ends, or None."""
    try:
        return json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None


def json_rows(documents: Sequence[Document]) -> Iterator[Row]:
    """Yield a row for each JSON object with figures that are known."""
    for document in documents:
        for number, found in enumerate(_objects(document.value), start=1):
            row = Row(
                f"record at line {document.line}",
                "" if number == 1 else f"part {number}",
                Place(document.line, 1),
                kind="record",
            )
            for key, item in found.items():
                if isinstance(item, dict):
                    for statistic in _STATISTICS:
                        _put(row, f"{statistic} {key}", item.get(statistic))
                else:
                    _put(row, key, item)
            if {"acc_length", "step_time", "speed"} <= set(found):
                row.kind = "bench_speculative"
            if len(row.measured) + sum(getattr(row, key) is not None for key in SETTINGS) >= MIN_KNOWN:
                yield row


def _put(row: Row, key: str, item: Json) -> None:
    """Put the value of one key into *row*, if it is a figure and the key is known."""
    name = understand(key.replace("_", " "))
    if name is None or isinstance(item, bool) or not isinstance(item, int | float) or item < 0:
        return
    figure = read_cell(f"{item}", row.place)
    if figure is not None:
        add(row, name, figure)


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    """Yield all objects in a JSON value, outer ones first."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting += reversed(value.values())
        elif isinstance(value, list):
            waiting += reversed(value)


def find_blocks(text: str) -> Iterator[Block]:
    """Yield each stretch of `key: value` lines, such as a benchmark prints at its end."""
    row, start, unknown = None, 0, list[str]()
    for index, line in enumerate([*text.split("\n"), ""]):
        match = _LINE_PAIR.match(line) if len(line) < 200 and ":" in line else None
        if match is None:
            if row is not None and (not line.strip() or not _BETWEEN.match(line)):
                if len(row.measured) >= MIN_KNOWN:
                    yield Block(row, range(start, index), unknown)
                row = None
            continue
        if row is None:
            row, start, unknown = (
                Row(f"record at line {index + 1}", "", Place(index + 1, 1), kind="record"),
                index,
                [],
            )
        name = understand(match["key"])
        figure = read_cell(match["value"], Place(index + 1, match.start("value") + 1))
        if name is not None and figure is not None:
            add(row, name, figure)
        else:
            configure(row, f"{match['key']}: {match['value']}")
            if figure is not None:
                unknown.append(f"'{match['key']}'")


def equals_rows(text: str) -> Iterator[Row]:
    """Yield a row for each line of `key=value` pairs."""
    for index, line in enumerate(text.split("\n"), start=1):
        if line.count("=") < MIN_KNOWN:
            continue
        row = Row(f"record at line {index}", "", Place(index, 1), kind="record")
        for match in _EQUALS.finditer(line):
            name = understand(match["key"].replace("_", " "))
            figure = read_cell(
                match["value"].replace("token/s", "tok/s"), Place(index, match.start("value") + 1)
            )
            if name is not None and figure is not None:
                add(row, name, figure)
        if len(row.measured) >= MIN_KNOWN:
            if "step_time" in line and "speed" in line:
                row.kind = "bench_speculative"
            yield row
