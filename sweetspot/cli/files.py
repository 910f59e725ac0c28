"""Reads and writes what verbs hand on to one another."""

import json
from pathlib import Path
from typing import Any

from sweetspot.run.record import write


def read_json(path: Path) -> Any:  # noqa: ANN401  any JSON
    """Return what the file *path* holds."""
    return json.loads(path.read_text())


def write_json(path: Path, data: Any) -> None:  # noqa: ANN401  any JSON
    """Write *data* to *path*, whole or not at all."""
    write(data, path)
