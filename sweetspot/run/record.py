"""One launch in one round, as a JSON file: what was sent, what came back and when.

A record holds observations only; every number is derived from it later. Long lists of whole numbers are
packed: base64 of zlib of the little-endian int32 differences, the first of them from 0. Standard library
only, so that a machine with nothing but Python can measure.
"""

import base64
import hashlib
import json
import os
import sys
import zlib
from array import array
from collections.abc import Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from sweetspot.errors import RecordError

FORMAT = 1
KEYS = (
    *("protocol", "status", "failure", "identity", "launch", "round", "started_at", "host", "engine"),
    *("models", "prompts_sha256", "server", "workload", "outputs", "passes"),
)


def pack(numbers: Sequence[int]) -> str:
    """Return *numbers* as text.

    Raises:
        OverflowError: If two neighbours are further apart than an int32 can say.
    """
    steps = array("i", (after - before for before, after in pairwise((0, *numbers))))
    return base64.b64encode(zlib.compress(_little_endian(steps).tobytes())).decode()


def unpack(packed: str) -> "array[int]":
    """Return the numbers that `pack` was given, as int64: microseconds of a long pass outgrow an int32.

    Raises:
        RecordError: If *packed* is not what `pack` writes.
    """
    return array("q", accumulate(differences(packed)))


def digest(packed: str) -> str:
    """Return a name for the numbers in *packed*: the same for equal numbers, whichever zlib packed them.

    Raises:
        RecordError: If *packed* is not what `pack` writes.
    """
    return hashlib.sha256(_little_endian(differences(packed)).tobytes()).hexdigest()[:16]


def differences(packed: str) -> "array[int]":
    """Return the int32 differences inside *packed*: of a running count, what each step added.

    Raises:
        RecordError: If *packed* is not what `pack` writes.
    """
    steps = array("i")
    try:
        steps.frombytes(zlib.decompress(base64.b64decode(packed, validate=True)))
    except (ValueError, zlib.error) as error:
        found = f"{packed[:12]!r}... ({error})"
        raise RecordError(f"{found}, expected a packed list; measure this launch again") from None
    return _little_endian(steps)


def _little_endian(steps: "array[int]") -> "array[int]":
    """Return *steps*, swapped on a big-endian machine."""
    if sys.byteorder == "big":
        steps.byteswap()
    return steps


def read(path: Path) -> dict[str, Any]:
    """Return the record at *path*.

    Raises:
        RecordError: If there is none, or it is damaged, of another format, or lacks a top-level key.
    """
    again = "delete it to measure this launch again"
    try:
        text = path.read_text(encoding="utf-8")
        record = json.loads(text)
    except OSError as error:
        raise RecordError(f"{path}: {error.strerror}, expected a record; measure this launch") from None
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: byte {error.start} is not UTF-8, expected JSON; {again}") from None
    except json.JSONDecodeError as error:
        if text.lstrip().startswith("{") and not text.rstrip().endswith("}"):
            found = f"truncated after {len(text)} characters, expected a whole record"
        else:
            found = f"{error.msg} in line {error.lineno}, expected JSON"
        raise RecordError(f"{path}: {found}; {again}") from None
    if not isinstance(record, dict):
        raise RecordError(f"{path}: a JSON {type(record).__name__}, expected an object; {again}")
    if record.get("format") != FORMAT:
        raise RecordError(f"{path}: format {record.get('format')}, expected {FORMAT}; {again}")
    if missing := [key for key in KEYS if key not in record]:
        raise RecordError(f"{path}: no {missing[0]!r} in it, expected one in every record; {again}")
    return record


def write(record: Any, path: Path) -> None:  # noqa: ANN401  any JSON
    """Write *record*, any JSON, to *path*, whole or not at all: a reader never meets half of it.

    Raises:
        ValueError: If a number in it is not finite.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("w", encoding="utf-8") as file:
            json.dump(record, file, indent=1, allow_nan=False)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)
