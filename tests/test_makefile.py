"""Tests of the Makefile: setting up leaves alone what is not this checkout's."""

import shutil
import subprocess
from pathlib import Path

from tests.workflow.project import ROOT


def test_a_linked_environment_is_not_emptied(tmp_path: Path) -> None:
    """`.venv` that is a link to another checkout's would be cleared there."""
    other, checkout = tmp_path / "other", tmp_path / "checkout"
    other.mkdir()
    (other / "kept").touch()
    for name in ("envs/workflow", "envs/workflow-dev"):
        (checkout / name).mkdir(parents=True)
        (checkout / name / "requirements.lock").touch()
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, checkout)
    (checkout / ".venv").symlink_to(other)

    made = subprocess.run(["make", "setup"], cwd=checkout, capture_output=True, text=True)

    assert made.returncode != 0
    assert ".venv: a link, expected a folder" in made.stderr
    assert (other / "kept").exists()
