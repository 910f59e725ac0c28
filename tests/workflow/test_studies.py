"""Every study in `studies/` can be planned on any machine, before its models or GPUs are there."""

from pathlib import Path

import pytest

from sweetspot.study import Study
from tests.workflow.project import ROOT, Project

pytestmark = pytest.mark.workflow

STUDIES = sorted(path.stem for path in (ROOT / "studies").glob("*.yaml"))


@pytest.fixture
def with_studies(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project that has the studies, and nothing of what they are about."""
    (project.folder / "studies").symlink_to(ROOT / "studies")
    monkeypatch.chdir(project.folder)
    return project


@pytest.mark.parametrize("name", STUDIES)
def test_a_dry_run_lists_all_of_it(with_studies: Project, name: str) -> None:
    """Each launch in each round and the short run, and for each NCCL variant a probe and its all-reduces."""
    study = Study.load(Path("studies", f"{name}.yaml"), only_planned=True)

    planned = with_studies.planned("--config", f"study={name}", "--", "all")

    variants = len(study.nccl_variants())
    assert planned["run"] == len(study.plan.launches) * study.plan.rounds + 1
    assert (planned["probe"], planned["allreduce"]) == (variants, variants)
    assert study.values["engine"] != "external"  # which needs a machine that has it


def test_by_hand(with_studies: Project) -> None:
    """Six NCCL variants of two GPUs, a start each in three rounds, after a short run."""
    planned = with_studies.planned("--config", "study=h200x2-nccl", "--", "all")

    assert {rule: planned[rule] for rule in ("run", "probe", "allreduce")} == {
        "run": 19,
        "probe": 6,
        "allreduce": 6,
    }


def test_as_jobs(with_studies: Project) -> None:
    """By the profile for SLURM all that looks at the GPUs asks for them, on a machine that has neither."""
    with_studies.options = ["--workflow-profile", str(ROOT / "profiles" / "slurm")]

    answer = with_studies.snakemake("--dry-run", "--config", "study=h200x8-nccl", "--", "all")

    assert answer.returncode == 0, answer.stdout + answer.stderr
    said = answer.stdout + answer.stderr
    host, nodes, runs, probes, allreduces = 1, 3, 19, 6, 6
    assert said.count("gpu=8") == host + nodes + runs + probes + allreduces
