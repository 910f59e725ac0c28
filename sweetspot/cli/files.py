"""Reads and writes what verbs hand on to one another."""

from pathlib import Path
from typing import Any

from sweetspot.plan.json_file import read_json, read_json_lines
from sweetspot.run.record import write

__all__ = [
    "read_equality",
    "read_json",
    "read_json_lines",
    "read_nccl",
    "read_plan",
    "read_verdict",
    "write_json",
]


def read_plan(path: Path) -> Any:  # noqa: ANN401  any JSON
    """Return a plan.json, of this version or of an older one that was published."""
    return read_json(path, "rounds", "verdict_load", "variants", "launches", "workload")


def read_verdict(path: Path) -> Any:  # noqa: ANN401
    """Return a verdict.json."""
    return read_json(path, "verdict_load", "winner", "sentence", "detail", "warnings", "rows")


def read_nccl(path: Path) -> Any:  # noqa: ANN401
    """Return an nccl.json."""
    return read_json(path, "reference", "variants", "messages", "times", "prediction")


def read_equality(path: Path) -> Any:  # noqa: ANN401
    """Return an equality.json."""
    return read_json(path, "rounds", "tolerance", "holds", "rows", "missing")


def write_json(path: Path, data: Any) -> None:  # noqa: ANN401  any JSON
    """Write *data* to *path*, whole or not at all."""
    write(data, path)
