"""SLURM and a project on it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slurm.cluster import Cluster, missing
from tests.workflow.project import Project


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A SLURM with two nodes, for as long as the module's tests run."""
    if reason := missing():
        pytest.skip(reason)
    started = Cluster(tmp_path_factory.mktemp("slurm"))
    try:
        started.start()
        yield started
    finally:
        started.stop()


def project_on(cluster: Cluster, folder: Path) -> Project:
    """Return a project that runs on the cluster by the profile as it is shipped, but for its patience."""
    project = Project(folder)
    project.environment |= cluster.environment
    project.start = [sys.executable, "-P", str(Path(__file__).with_name("impatient.py"))]
    project.options = ["--workflow-profile", "profiles/slurm", "--latency-wait", "5"]
    return project
