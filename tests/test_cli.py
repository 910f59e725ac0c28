"""The command line as a shell meets it."""

import os
import subprocess
import sys
from pathlib import Path

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
