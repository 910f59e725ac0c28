"""Tests of `sweetspot.engine.allreduce`: two real processes that sum, on the engine's own torch."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.engines import cpu_python

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]


def test_two_processes_sum_each_size(tmp_path: Path) -> None:
    """Every size has a time for each replay, and the sum that the ranks' values have."""
    python = cpu_python()
    words = ["--ranks", "2", "--device", "cpu", "--dtype", "bfloat16", "--bytes", "128", "8192"]
    words += ["--in-a-replay", "3", "--replays", "4", "--warm-up", "1", "--out", str(tmp_path / "times.json")]

    subprocess.run(
        [python, "-P", ROOT / "sweetspot" / "engine" / "allreduce.py", *words],
        check=True,
        timeout=120,
    )

    found = json.loads((tmp_path / "times.json").read_text())
    assert (found["backend"], found["ranks"], found["all_reduces_a_replay"]) == ("gloo", 2, 3)
    assert [(size["bytes"], size["sum_is_right"]) for size in found["sizes"]] == [(128, True), (8192, True)]
    assert all(len(size["replay_s"]) == 4 and min(size["replay_s"]) > 0 for size in found["sizes"])
