"""Reads records into rows: JSON and JSON lines, `key: value` blocks, `key=value` lines, server logs. Pure."""

import json
import re
from collections.abc import Iterator
from typing import Any

from sweetspot.analyse.audit.figures import Place, read_cell
from sweetspot.analyse.audit.names import understand
from sweetspot.analyse.audit.rows import SETTINGS, Row, add, configure
from sweetspot.measure.server_log import LogRow, read_server_log

Json = Any
MIN_KNOWN = 2  # names that must be known before pairs count as a record
_LINE_PAIR = re.compile(r"^\s*[-*]?\s*(?P<key>[A-Za-z#][^:|]{1,60}?)\s*:\s+(?P<value>[^\s|][^|]{0,40}?)\s*$")
_EQUALS = re.compile(r"(?P<key>[A-Za-z_]+)=(?P<value>[\d.]+(?: (?:token/s|tok/s|ms|s)\b)?)")
_STEPS_GIVEN = re.compile(r"speculative[-_]num[-_]steps['\"]?\s*[=: ]\s*['\"]?(\d+)")
_DRAFTS_GIVEN = re.compile(r"(?<!adaptive)speculative[-_]num[-_]draft[-_]tokens['\"]?\s*[=: ]\s*['\"]?(\d+)")
_SPEC_GIVEN = re.compile(r"num_speculative_tokens['\"]?\s*[=:]\s*['\"]?(\d+)")
_ADAPTIVE = re.compile(r"speculative[-_]adaptive['\"]?\s*[=:]\s*['\"]?[Tt]rue|--speculative-adaptive")


def records_of(text: str, prose: str) -> list[Row]:
    """Return the rows of all records in *text*; *prose* is the text without its tables."""
    rows = list(_json_rows(text))
    if not rows:
        rows = [*_blocks(prose), *_equals(prose)]
    rows += _log_rows(text)
    _give_settings(rows, text)
    return rows


def _json_rows(text: str) -> Iterator[Row]:
    """Yield a row for each JSON object with figures that are known."""
    for value, line, _ in _documents(text):
        for number, found in enumerate(_objects(value), start=1):
            row = Row(
                f"record at line {line}",
                "" if number == 1 else f"part {number}",
                Place(line, 1),
                kind="record",
            )
            for key, item in found.items():
                name = understand(key.replace("_", " "))
                if name is None or isinstance(item, bool) or not isinstance(item, int | float) or item < 0:
                    continue
                figure = read_cell(f"{item}", Place(line, 1))
                if figure is not None:
                    add(row, name, figure)
            if {"acc_length", "step_time", "speed"} <= set(found):
                row.kind = "bench_speculative"
            if len(row.measured) + sum(getattr(row, key) is not None for key in SETTINGS) >= MIN_KNOWN:
                yield row


def json_spans(text: str) -> list[slice]:
    """Return where the JSON documents of *text* stand."""
    return [span for _, _, span in _documents(text)]


def _documents(text: str) -> Iterator[tuple[Json, int, slice]]:
    """Yield each JSON document in *text*, the line it begins at, and where it stands."""
    decoder, lines = json.JSONDecoder(), text.splitlines(keepends=True)
    offset, resume = 0, 0
    for number, line in enumerate(lines, start=1):
        if offset >= resume and line.lstrip()[:1] in {"{", "["}:
            start = offset + len(line) - len(line.lstrip())
            try:
                value, resume = decoder.raw_decode(text, start)
            except ValueError:
                resume = offset
            else:
                yield value, number, slice(start, resume)
        offset += len(line)


def _objects(value: Json) -> Iterator[dict[str, Json]]:
    """Yield all objects in a JSON value, outer ones first."""
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _objects(item)
    elif isinstance(value, list):
        for item in value:
            yield from _objects(item)


def _blocks(text: str) -> Iterator[Row]:
    """Yield a row for each stretch of `key: value` lines, such as a benchmark prints at its end."""
    row: Row | None = None
    for index, line in enumerate([*text.splitlines(), ""], start=1):
        match = _LINE_PAIR.match(line)
        if match is None:
            if row is not None and not re.match(r"^\s*-{3,}", line):
                if len(row.measured) >= MIN_KNOWN:
                    yield row
                row = None
            continue
        row = row or Row(f"record at line {index}", "", Place(index, 1), kind="record")
        name = understand(match["key"])
        figure = read_cell(match["value"], Place(index, match.start("value") + 1))
        if name is not None and figure is not None and name.metric not in row.measured:
            add(row, name, figure)
        elif name is None or figure is None:
            configure(row, f"{match['key']}: {match['value']}")


def _equals(text: str) -> Iterator[Row]:
    """Yield a row for each line of `key=value` pairs."""
    for index, line in enumerate(text.splitlines(), start=1):
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


def _log_rows(text: str) -> Iterator[Row]:
    """Yield a row for each line of a server log that tells of speculation."""
    for found in read_server_log(text):
        if found.accept_length is None:
            continue
        row = Row(
            f"log line {found.line}", "", Place(found.line, 1), kind="log", batch=found.running_requests
        )
        for key, metric in (("accept len", "accept length"), ("Mean acceptance length", "accept length")):
            _put(row, metric, found, key)
        _put(row, "accept rate", found, "accept rate")
        yield row


def _put(row: Row, metric: str, found: LogRow, key: str) -> None:
    """Put one field of a log line into *row*."""
    name = understand(metric)
    figure = read_cell(found.fields.get(key, ""), Place(found.line, 1))
    if name is not None and figure is not None:
        add(row, name, figure)


def _give_settings(rows: list[Row], text: str) -> None:
    """Give each record the step count that the text names, if it names one alone and it stays."""
    if _ADAPTIVE.search(text):
        return
    for attribute, pattern in (
        ("num_steps", _STEPS_GIVEN),
        ("draft_tokens", _DRAFTS_GIVEN),
        ("spec_tokens", _SPEC_GIVEN),
    ):
        given = {int(value) for value in pattern.findall(text)}
        if len(given) == 1:
            for row in rows:
                if getattr(row, attribute) is None:
                    setattr(row, attribute, *given)
