"""Makes rows of server logs, and finds the settings that launch commands and logs name for all rows. Pure."""

import re
from collections.abc import Iterator, Sequence

from sweetspot.analyse.audit.figures import read_cell
from sweetspot.analyse.audit.fill import add
from sweetspot.analyse.audit.names import understand
from sweetspot.analyse.audit.places import Place
from sweetspot.analyse.audit.rows import Row
from sweetspot.measure.server_log import LogRow

_PREFIX = re.compile(
    r"(?:\(\w+ pid=\d+\) *)?(?:[\w.-]+ +\| +)?\[?(?:(?:INFO|WARNING|ERROR|DEBUG)\b|\d{4}-\d\d-\d\d[ T]\d\d:)"
)
_CONTENT = ("Decode batch", "Prefill batch", "SpecDecoding metrics", "Speculative metrics", "server_args=")
_SETTINGS = (
    ("num_steps", re.compile(r"speculative[-_]num[-_]steps['\"]?\s*[=: ]\s*['\"]?(\d+)")),
    (
        "draft_tokens",
        re.compile(r"(?<!adaptive)speculative[-_]num[-_]draft[-_]tokens['\"]?\s*[=: ]\s*['\"]?(\d+)"),
    ),
    ("spec_tokens", re.compile(r"num_speculative_tokens['\"]?\s*[=:]\s*['\"]?(\d+)")),
)
_ADAPTIVE = re.compile(r"speculative[-_]adaptive['\"]?\s*[=:]\s*['\"]?[Tt]rue|--speculative-adaptive")


def is_log(line: str) -> bool:
    """Return whether a line is a server's, and so neither prose nor part of a table."""
    return bool(_PREFIX.match(line.lstrip())) or any(words in line for words in _CONTENT)


def log_rows(log: Sequence[LogRow]) -> Iterator[Row]:
    """Yield a row for each line of a server log that tells of speculation."""
    for found in log:
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


def give_settings(rows: Sequence[Row], text: str) -> None:
    """Give each record the step count that the text names, if it names one alone and it stays."""
    if not rows or _ADAPTIVE.search(text):
        return
    for attribute, pattern in _SETTINGS:
        given = {int(value) for value in pattern.findall(text)}
        if len(given) == 1:
            for row in rows:
                if getattr(row, attribute) is None:
                    setattr(row, attribute, *given)
