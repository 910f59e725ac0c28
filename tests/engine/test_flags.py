"""The flags that the studies pass are the installed SGLang's, by their full names."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from sweetspot.engine import cpu
from sweetspot.plan import study
from tests.engines import cpu_python

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
NEWEST = ("engine-cpu", "external")  # of the engines, those that the newest SGLang is to serve
STUDIES = [ROOT / "config.yaml", *sorted((ROOT / "studies").glob("*.yaml"))]
LIST = """
import argparse, json
from sglang.srt.server_args import ServerArgs
parser = argparse.ArgumentParser()
ServerArgs.add_cli_args(parser)
print(json.dumps([name for action in parser._actions for name in action.option_strings]))
"""


@pytest.fixture(scope="module")
def known() -> set[str]:
    """The options of the installed SGLang."""
    answer = subprocess.run(
        [cpu_python(), "-c", LIST],
        env=os.environ | {"PYTHONPATH": str(cpu.SITE), "SGLANG_USE_CPU_ENGINE": "1"},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr[-2000:]
    return set(json.loads(answer.stdout.splitlines()[-1]))


@pytest.mark.parametrize("file", STUDIES, ids=lambda file: str(file.stem))
def test_flags_of_the_studies(known: set[str], file: Path) -> None:
    """A name that SGLang has dropped would end every start, or be taken for another that begins alike."""
    read = study.load(file)
    sections = [entry["args"] for name, entry in read["engines"].items() if name in NEWEST]
    sections += [variant["args"] for variant in read["nccl"].values()]

    flags = {f"--{flag}" for args in [*sections, *read["args_sets"].values()] for flag in args}

    assert len(known) > 300
    assert flags - known == set()
