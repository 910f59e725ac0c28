"""Runs shared between clones by Snakemake's output cache: taken where all is equal, never where it is not."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sweetspot.host.engines import FAKE_VERSION
from sweetspot.run.job import PROTOCOL
from sweetspot.run.record import read
from tests.workflow.project import ROOT, Project

pytestmark = pytest.mark.workflow

RECORD = "results/small/run/s2.default/0/record.json"
SMI = """#!/bin/sh
case $1 in --query-gpu=*) printf '%s' "$GPUS" ;; *) echo "GPU0 X" ;; esac
"""
GPU = "{driver}, {name}, 143771, 700, 1980, 3201\n"


def with_gpus(project: Project, count: int = 8, name: str = "NVIDIA H200", driver: str = "580.95") -> None:
    """Let the project's host seem to have GPUs."""
    tools = project.folder / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "nvidia-smi").write_text(SMI)
    (tools / "nvidia-smi").chmod(0o755)
    project.environment["PATH"] = f"{tools}:{project.environment['PATH']}"
    project.environment["GPUS"] = GPU.format(driver=driver, name=name) * count


def edit(project: Project, source: str, found: str, written: str) -> None:
    """Let the project run a copy of the workflow in which *source* has another text."""
    project.workflow = project.folder / "edited"
    for name in ("sweetspot", "rules", "profiles", "envs"):
        shutil.copytree(ROOT / name, project.workflow / name)
    for name in ("Snakefile", "config.schema.yaml"):
        shutil.copy(ROOT / name, project.workflow)
    path = project.workflow / "sweetspot" / source
    assert found in path.read_text()
    path.write_text(path.read_text().replace(found, written))
    project.environment["PYTHONPATH"] = str(project.workflow)


def key(project: Project, record: str = RECORD) -> str:
    """Return what the cache would keep a record of the project under."""
    project.save()
    program = [sys.executable, Path(__file__).with_name("cache_key.py")]
    answer = subprocess.run(
        [*program, project.workflow / "Snakefile", project.folder, record],
        env=project.environment,
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return answer.stdout.split()[-1]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a cache."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def clone(tmp_path: Path, cache: Path) -> Project:
    """A clone that has measured nothing, on a host with 8 GPUs."""
    project = Project(tmp_path / "clone")
    project.environment["SNAKEMAKE_OUTPUT_CACHE"] = str(cache)
    with_gpus(project)
    return project


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> str:
    """The key of the record in a clone in which nothing is changed."""
    project = Project(tmp_path_factory.mktemp("usual"))
    project.environment["SNAKEMAKE_OUTPUT_CACHE"] = str(cache)
    with_gpus(project)
    return key(project)


CHANGES: dict[str, Callable[[Project], object]] = {
    "launch": lambda clone: clone.study["engines"]["fake"]["args"].update({"max-running-requests": 9}),
    "environment": lambda clone: clone.study["engines"]["fake"]["env"].update(HF_HUB_OFFLINE="1"),
    "workload": lambda clone: clone.study["generation"].update(max_new_tokens=17),
    "repeats": lambda clone: clone.study.update(repeats=3),
    "seed": lambda clone: clone.study.update(seed=1),
    "target": lambda clone: clone.write_model("target", hidden_size=128),
    "draft": lambda clone: clone.write_model("draft", hidden_size=128),
    "prompts": lambda clone: clone.write_prompts([[1, 2, 3], [4, 5, 6], [7, 8, 10]]),
    "GPU model": lambda clone: with_gpus(clone, name="NVIDIA H100"),
    "GPU count": lambda clone: with_gpus(clone, count=4),
    "driver": lambda clone: with_gpus(clone, driver="570.124"),
    "packages": lambda clone: edit(clone, "host/engines.py", f'"{FAKE_VERSION}"', '"0.5.22"'),
    "protocol": lambda clone: edit(clone, "run/job.py", f"PROTOCOL = {PROTOCOL}", "PROTOCOL = 99"),
}


def test_the_same_in_another_clone(clone: Project, usual: str) -> None:
    """Neither where a clone lies nor what its study is called on disk is in the key."""
    assert key(clone) == usual


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_miss_for_each_field(clone: Project, usual: str, change: Callable[[Project], object]) -> None:
    """Whatever can change a measurement changes the key."""
    change(clone)

    assert key(clone) != usual


def test_rounds_and_launches_differ(clone: Project, usual: str) -> None:
    """Each launch in each round is measured for itself; that there is a second round changes no first one."""
    clone.study["rounds"] = 2

    keys = [key(clone, RECORD.replace("/0/", "/1/")), key(clone, RECORD.replace("s2", "none"))]

    assert key(clone) == usual
    assert len({usual, *keys}) == 3


def test_a_hit_starts_no_server(clone: Project, tmp_path: Path, cache: Path) -> None:
    """A second clone has the first one's records, whole, and measures the rest."""
    second = Project(tmp_path / "second")
    second.environment |= {"SNAKEMAKE_OUTPUT_CACHE": str(cache)}
    with_gpus(second)
    second.study["speculation"]["num_steps"] = [2, 3]
    second.save()
    records = [RECORD, RECORD.replace("s2", "s3")]
    measured = clone.snakemake("--cache", "run", "--", RECORD)
    assert measured.returncode == 0, measured.stdout + measured.stderr

    taken = second.snakemake("--cache", "run", "--", *records)

    assert taken.returncode == 0, taken.stdout + taken.stderr
    assert read(second.record("s2.default")) == read(clone.record("s2.default"))
    assert read(second.record("s3.default"))["started_at"] > read(second.record("s2.default"))["started_at"]
    assert not (second.folder / "results/small/logs/run/s2.default/0.server.log").exists()
    assert {path.name for path in second.record("s2.default").parent.iterdir()} == {
        path.name for path in second.record("s3.default").parent.iterdir()
    }
    assert second.planned("--cache", "run", "--", *records) == {}


def test_a_study_that_is_changed_and_changed_back(clone: Project) -> None:
    """What was measured before the change is taken again, though another record had its place meanwhile."""
    words = ("--cache", "run", "--", RECORD)
    clone.snakemake(*words)
    before = read(clone.record("s2.default"))
    clone.study["seed"] = 1
    clone.save()
    clone.snakemake(*words)
    between = read(clone.record("s2.default"))
    clone.study["seed"] = 0
    clone.save()

    back = clone.snakemake(*words)

    assert back.returncode == 0, back.stdout + back.stderr
    assert between["identity"]["seed"] == 1
    assert read(clone.record("s2.default")) == before
