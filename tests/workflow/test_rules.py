"""The workflow's own form: Snakemake's linter, and the verbs that the rules call."""

import re
import subprocess

import pytest

from sweetspot import cli
from tests.workflow.project import ROOT, SNAKEMAKE

pytestmark = pytest.mark.workflow

RULES = (ROOT / "rules").glob("*.smk")


def test_the_linter_asks_for_conda_alone() -> None:
    """Environments are locked in envs/; the linter knows conda and containers only."""
    answer = subprocess.run([SNAKEMAKE, "--lint"], cwd=ROOT, capture_output=True, text=True)

    messages = set(re.findall(r"^    \* (.+)$", answer.stdout + answer.stderr, re.MULTILINE))

    assert messages == {"Specify a conda environment or container for each rule.:"}


def test_rules_call_verbs_that_exist() -> None:
    """Every command line in the rules is one that `sweetspot` takes, and every rule's verb is its name."""
    called = [call for path in RULES for call in re.findall(r"exec sweetspot (\w+)", path.read_text())]

    assert len(called) > 10
    assert all(callable(getattr(cli, verb)) for verb in called)
