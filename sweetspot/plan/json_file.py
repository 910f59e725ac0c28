"""Reads the JSON files that a study's rules hand on to one another. Standard library only."""

import json
from pathlib import Path
from typing import Any

from sweetspot.errors import RecordError


def read_json(path: Path) -> Any:  # noqa: ANN401  any JSON
    """Return what the file *path* holds.

    Raises:
        RecordError: If there is none, or no JSON in it, as a full disk leaves it.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecordError(
            f"{path}: {error.strerror}, expected a file of the study; let snakemake make it"
        ) from None
    except ValueError as error:
        raise RecordError(
            f"{path}: {error}, expected JSON; delete it, and snakemake makes it again"
        ) from None
