"""Reads and writes what verbs hand on to one another."""

from pathlib import Path
from typing import Any

from sweetspot.plan.json_file import read_json
from sweetspot.run.record import write

__all__ = ["read_json", "write_json"]


def write_json(path: Path, data: Any) -> None:  # noqa: ANN401  any JSON
    """Write *data* to *path*, whole or not at all."""
    write(data, path)
