"""Turns what the timer inside the server wrote into `cycles.jsonl.gz`, and reads that back.

The first line is a JSON object: `format`, `clock`, `columns` and their `units`. Then comes one JSON array a
decode cycle, in order. Only cycles that start inside a timed pass are kept. Standard library only.
"""

import gzip
import json
import time
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweetspot.engine.plugin import UNITS
from sweetspot.errors import EngineError, RecordError

FORMAT = 1
SETTLE_S = 3.0  # after the last cycle, within which the timer has written it
STEADY_S = 0.5  # for which a whole file has grown no more, longer than the timer leaves cycles unread

Cells = list[int | None]
START, FOLLOWED = map(list(UNITS).index, ("start_us", "followed"))


@dataclass(frozen=True)
class Cycles:
    """Decode cycles, and the clock that timed their phases: `cuda_events`, `host`, or None if none did."""

    clock: str | None
    rows: list[Cells]  # of the columns of `UNITS`


def collect(prefix: Path, passes: Sequence[tuple[int, int]]) -> Cycles:
    """Return what the timer wrote to `PREFIX.*`, of the cycles that start inside one of *passes*.

    Args:
        prefix: Of the timer's file, one for each server process that decodes.
        passes: Begin and end of each, in microseconds of CLOCK_MONOTONIC.

    Raises:
        EngineError: If there is no file, or more than one, or it is another timer's.
    """
    files = raw_files(prefix)
    if len(files) != 1:
        raise EngineError(
            f"the timer: {len(files)} files of cycles, expected one, of the first rank; "
            f"see the server's log, or set `profile: none`",
            "untimed",
        )
    header, *lines = files[0].read_text().splitlines(keepends=True)
    if json.loads(header)["columns"] != list(UNITS):
        raise EngineError(
            f"the timer: columns {header.strip()}, expected {list(UNITS)}; remove the other timer", "untimed"
        )
    rows = [json.loads(line) for line in lines if line.endswith("\n")]  # a killed server cuts its last
    inside = [row for row in rows if any(begin <= row[0] <= end for begin, end in passes)]
    return Cycles(json.loads(header)["clock"], inside)


def mistimed(cycles: Cycles, passes: Sequence[Mapping[str, Any]], untimed: Collection[str]) -> str | None:
    """Return in which pass the timer was not as asked, off for *untimed* variants and on for others, or None.

    Args:
        cycles: Of a launch.
        passes: Of its record.
        untimed: Ids of variants.
    """
    starts = sorted(row[START] or 0 for row in cycles.rows)
    for pass_ in passes:
        seen = bisect_right(starts, pass_["ended_us"]) - bisect_left(starts, pass_["began_us"])
        if (seen == 0) != (pass_["variant"] in untimed):
            expected = "some" if seen == 0 else "none with the timer off"
            return f"{pass_['variant']}, repeat {pass_['repeat']}: {seen} timed cycles, expected {expected}"
    return None


def wait_until_written(prefix: Path, passes: Sequence[Mapping[str, Any]]) -> None:
    """Wait until the timer has written the last cycle of *passes*, from a server that has come to rest.

    It is one that nothing follows, of the request that was sent last. Passes are those with the timer on.
    """
    sent_us = max((p["began_us"] + r["sent_us"] for p in passes for r in p["requests"]), default=0)
    began = grew = time.monotonic()
    size = 0
    while time.monotonic() < began + SETTLE_S:
        written = b"".join(file.read_bytes() for file in raw_files(prefix))
        if len(written) > size:
            size, grew = len(written), time.monotonic()
        last = written.rstrip(b"\n").rpartition(b"\n")[2]
        if last.startswith(b"[") and time.monotonic() > grew + STEADY_S:
            cycle = json.loads(last)
            if cycle[START] >= sent_us and not cycle[FOLLOWED]:
                return
        time.sleep(STEADY_S / 5)


def raw_files(prefix: Path) -> list[Path]:
    """Return the files that timers with *prefix* wrote."""
    return sorted(prefix.parent.glob(f"{prefix.name}.*"))


def write_cycles(cycles: Cycles, path: Path) -> None:
    """Write *cycles* to *path*: equal ones as equal bytes."""
    header = {"format": FORMAT, "clock": cycles.clock, "columns": list(UNITS), "units": UNITS}
    with gzipped(path) as file:
        for line in (header, *cycles.rows):
            file.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")


def read_cycles(path: Path) -> Cycles:
    """Return the cycles at *path*.

    Raises:
        RecordError: If there are none, they are damaged, or of another format.
    """
    again = "measure this launch again"
    try:
        header, *rows = map(json.loads, gzip.decompress(path.read_bytes()).splitlines())
    except (OSError, EOFError, ValueError) as error:
        raise RecordError(f"{path}: {error}, expected the cycles of a launch; {again}") from None
    if header.get("format") != FORMAT or header["columns"] != list(UNITS):
        raise RecordError(f"{path}: format {header.get('format')}, expected {FORMAT}; {again}")
    return Cycles(header["clock"], rows)


@contextmanager
def gzipped(path: Path) -> Iterator[gzip.GzipFile]:
    """Open *path* for writing, with no name and no time in it, so that equal contents are equal files."""
    with path.open("wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as packed:
        yield packed
