"""The command line as a shell meets it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sweetspot.cli import main

ROOT = Path(__file__).parents[1]


def test_a_reader_that_has_seen_enough_is_no_fault() -> None:
    """`sweetspot plan | head` ends without a traceback."""
    reader, writer = os.pipe()
    os.close(reader)

    answer = subprocess.run(
        [sys.executable, "-c", "from sweetspot.cli import main; raise SystemExit(main(['plan']))"],
        cwd=ROOT,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
    )

    os.close(writer)
    assert answer.stderr == ""
    assert answer.returncode == 128 + 13


def test_a_fault_of_the_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It goes to standard error, with status 2 and without a traceback."""
    study = tmp_path / "none.yaml"

    status = main(["plan", str(study)])

    line = f"{study}: No such file or directory, expected a study file; name one that exists\n"
    assert (status, capsys.readouterr().err) == (2, line)
