"""Launches that measure several variants: real Snakemake on stand-in servers, one of which lies."""

import subprocess

import polars as pl
import pytest

from tests.workflow.project import Project

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def answer(shared: Project) -> subprocess.CompletedProcess[str]:
    """What Snakemake said when it measured the project from nothing."""
    return shared.snakemake("all")


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose variants share a start, under a sound and a lying server."""
    project = Project(tmp_path_factory.mktemp("shared"))
    project.study |= {"launches": "auto", "controls": ["aa"]}
    project.study["speculation"]["num_steps"] = [1, 2]
    project.study["nccl"]["lying"] = {"env": {"FAKE_FAULT": "switch-lies"}, "args": {}}
    project.save()
    return project


def test_one_start_fills_all_rows(shared: Project, answer: subprocess.CompletedProcess[str]) -> None:
    """Baseline, control and chains come from one launch, equal in tokens, and the table says so."""
    results = shared.folder / "results" / "small"
    rows = pl.read_parquet(results / "summary.parquet").filter(nccl="default").to_dicts()

    assert [row["launch"] for row in rows] == ["oneload.default"] * 4
    assert [row["exact"] for row in rows] == ["reference", "exact", "exact", "exact"]
    assert [row["accept_length"] for row in rows][:2] == [1.0, 1.0]
    assert not list((results / "run").glob("none*"))
    table = (results / "table.md").read_text()
    assert "- launch oneload.default, oneload: one start for 4 variants, switched before each pass" in table


def test_the_winner_is_launched_alone(shared: Project, answer: subprocess.CompletedProcess[str]) -> None:
    """Its command has its own step count, and nothing of the switching."""
    results = shared.folder / "results" / "small"

    command = (results / "launch.sh").read_text()

    assert "adaptive" not in command
    assert "SWEETSPOT" not in command


def test_a_lying_server_is_a_failure(shared: Project, answer: subprocess.CompletedProcess[str]) -> None:
    """It is named with what it ran, its rows have no number, and the others stand."""
    summary = pl.read_parquet(shared.folder / "results" / "small" / "summary.parquet")

    assert answer.returncode != 0
    assert "oneload.lying/0: the server: cycles {'2': " in answer.stdout + answer.stderr
    assert summary.filter(nccl="lying")["status"].unique().to_list() == ["failed"]


def test_another_list_of_steps_runs_the_launch_again(
    shared: Project, answer: subprocess.CompletedProcess[str]
) -> None:
    """Variants that share a start are measured side by side, so all of them are measured again."""
    before = shared.planned("all")["run"]
    shared.study["speculation"]["num_steps"] = [1, 2, 3]
    shared.save()

    after = shared.planned("all")["run"]

    assert (before, after) == (1, 2)  # the failed one is tried again in any case
