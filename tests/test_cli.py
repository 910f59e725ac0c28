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


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["plan", "config.yaml", "--out", "missing/plan.json"], "missing/plan.json: No such file"),
        (
            ["plan", "config.yaml", "--out", "/dev/full"],
            "a file: No space left on device, expected room for it",
        ),
        (["audit", "."], ".: Is a directory, expected a file"),
        (
            ["settle", "--study", "config.yaml", "--equality", "README.md", "--out", "x"],
            "README.md: Expecting",
        ),
        (["settle", "--study", "config.yaml", "--equality", "none", "--out", "x"], "none: No such file"),
    ],
)
def test_a_file_that_can_not_be_used_is_one_line(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong path, a full disk and a file of something else end in a line that names them, no traceback."""
    monkeypatch.chdir(ROOT)

    status = main(words)

    said = capsys.readouterr().err
    assert status == 2
    assert said.startswith(line)
    assert len(said.splitlines()) == 1
