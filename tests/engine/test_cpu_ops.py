"""Tests of `sweetspot/engine/cpu/site/sgl_kernel`. The checks themselves are in `ops/`."""

import ast
import functools
import json
import os
import subprocess
from pathlib import Path

import pytest

from sweetspot.engine.cpu import SITE
from tests.engines import cpu_python

OPS = Path(__file__).parent / "ops"
CHECKS = [
    f"{file.stem}.{node.name}"
    for file in sorted(OPS.glob("check_*.py"))
    for node in ast.parse(file.read_text()).body
    if isinstance(node, ast.FunctionDef) and node.name.startswith("check_")
]


@functools.cache
def _failures() -> dict[str, str | None]:
    """Run all checks in one process of the engine's Python, and return how each failed."""
    python = cpu_python()
    done = subprocess.run(
        [python, OPS],
        env={**os.environ, "PYTHONPATH": str(SITE), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return {line["check"]: line["failure"] for line in map(json.loads, done.stdout.splitlines())}


@pytest.mark.engine
@pytest.mark.parametrize("check", CHECKS)
def test_check_holds(check: str) -> None:
    """The check of this name holds under the engine's Python."""
    failures = _failures()

    assert failures[check] is None, failures[check]
