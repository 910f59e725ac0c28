"""Reads the JSON files that a study's rules hand on to one another. Standard library only."""

import json
from pathlib import Path
from typing import Any

from sweetspot.errors import RecordError

AGAIN = "delete it, and snakemake makes it again"


def read_json(path: Path, *keys: str) -> Any:  # noqa: ANN401  any JSON
    """Return what the file *path* holds.

    Args:
        path: The file.
        keys: What an object has to have to be what it is taken for; none for any JSON.

    Raises:
        RecordError: If there is none, no JSON in it, as a full disk leaves it, or that of another file.
    """
    return _parse(_read(path), str(path), keys)


def read_json_lines(path: Path, *keys: str) -> list[Any]:
    """Return what each line of the file *path* holds, an object with *keys*.

    Raises:
        RecordError: As `read_json` does, with the line's number.
    """
    lines = _read(path).splitlines()
    return [_parse(line, f"{path}, line {number}", keys) for number, line in enumerate(lines, 1)]


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise RecordError(
            f"{path}: {error.strerror}, expected a file of the study; let snakemake make it"
        ) from None
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: {error}, expected JSON; {AGAIN}") from None


def _parse(text: str, where: str, keys: tuple[str, ...]) -> Any:  # noqa: ANN401  any JSON
    try:
        found = json.loads(text)
    except ValueError as error:
        raise RecordError(f"{where}: {error}, expected JSON; {AGAIN}") from None
    except RecursionError:
        raise RecordError(f"{where}: nested without end, expected a file of the study; {AGAIN}") from None
    if keys and not isinstance(found, dict):
        raise RecordError(f"{where}: a JSON {type(found).__name__}, expected an object; {AGAIN}")
    if missing := [key for key in keys if key not in found]:
        raise RecordError(f"{where}: no {missing[0]!r} in it, expected {', '.join(keys)}; {AGAIN}")
    return found
