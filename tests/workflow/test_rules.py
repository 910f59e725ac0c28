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
    """Every rule that calls `sweetspot` calls the verb of its own name, and there is such a verb."""
    texts = [path.read_text() for path in RULES]
    rules = [rule for text in texts for rule in re.split(r"^(?:rule|checkpoint) ", text, flags=re.MULTILINE)]
    called = {rule.partition(":")[0]: re.search(r"exec sweetspot (\w+)", rule) for rule in rules}
    offered = re.findall(r"^    (\w+)", cli.parser().format_help(), re.MULTILINE)

    verbs = {name: match[1] for name, match in called.items() if match}

    assert len(verbs) > 20
    assert all(name == verb for name, verb in verbs.items())
    assert set(verbs.values()) <= set(offered)
