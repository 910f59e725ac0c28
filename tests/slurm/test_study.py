"""A study on a real SLURM: each run alone on its node, each round on one, and everything can be resumed.

One story, told once: Snakemake starts, a job passes its time limit, another is cancelled, the controller
restarts, a node dies under a third job, and Snakemake starts again.
"""

import subprocess
import time
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from sweetspot.run.record import read
from tests.slurm.cluster import Cluster
from tests.slurm.conftest import project_on
from tests.workflow.project import Project

pytestmark = pytest.mark.workflow

LAUNCHES = ("none.default", "s2.default")
RUNS = [(launch, round_) for launch in LAUNCHES for round_ in range(2)]
GPUS = 1  # of 8


@dataclass
class Story:
    """What happened."""

    cluster: Cluster
    project: Project
    first: subprocess.Popen[bytes]  # start of Snakemake
    output: Path  # of that
    cancelled: str = ""  # rules of the jobs that something was done to
    overdue: str = ""
    taken: str = ""  # the node was down
    finished_before: dict[tuple[str, int], str] = field(default_factory=dict)  # when each run started
    statuses: list[int] = field(default_factory=list)  # of Snakemake's starts

    def records(self) -> dict[tuple[str, int], dict[str, Any]]:
        """Return the records that are there."""
        paths = {run: self.project.record(*run) for run in RUNS}
        return {run: read(path) for run, path in paths.items() if path.exists()}

    def running(self, *but: str) -> dict[str, str] | None:
        """Return a job of the rule `run` whose server was started and is measured, none of those in *but*."""
        for job in self.cluster.jobs("R"):
            *_, launch, round_ = job["rule"].split("_")
            log = self.project.folder / "results/small/logs/run" / launch / f"{round_}.server.log"
            begun = job["rule"].startswith("rule_run") and launch in LAUNCHES and log.exists()
            if begun and job["rule"] not in but and not self.project.record(launch, int(round_)).exists():
                return job
        return None

    def await_running(self, *but: str) -> dict[str, str]:
        """Wait for such a job and return it."""
        found: list[dict[str, str]] = []
        while not found:
            assert self.first.poll() is None, self.output.read_text()
            found += filter(None, [self.running(*but)])
            time.sleep(0.1)
        return found[0]


@pytest.fixture(scope="module")
def story(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Two rounds of two launches, two starts of Snakemake, and four things that happened meanwhile."""
    project = project_on(cluster, tmp_path_factory.mktemp("project"))
    by_slurm, project.options = project.options, ["--cores", "1"]
    study = project.study
    study |= {"tp_size": GPUS, "rounds": 2}
    study["generation"]["max_new_tokens"] = 250
    study["limits"]["stall_s"] = 120
    project.save()
    begun = project.snakemake("results/small/smoke.json")  # what needs no cluster, and saves time
    assert begun.returncode == 0, begun.stdout + begun.stderr
    project.options = by_slurm
    output = project.folder / "snakemake.log"
    with output.open("w") as log:
        first = project.begin("all", stdout=log, stderr=subprocess.STDOUT)
    story = Story(cluster, project, first, output)
    try:
        job = story.await_running()
        story.overdue = job["rule"]
        cluster.freeze_server(job["id"])  # until SLURM looks for overdue jobs, every 30 s
        cluster.call("scontrol", "update", f"JobId={job['id']}", "TimeLimit=0")

        cluster.wait(story.records, 60)
        story.finished_before = {run: record["started_at"] for run, record in story.records().items()}
        job = story.await_running(story.overdue)
        story.cancelled = job["rule"]
        cluster.call("scancel", job["id"])

        job = story.await_running(story.overdue, story.cancelled)
        cluster.stop_controller()
        cluster.start_controller()
        story.taken = job["rule"]
        cluster.fail_node(job["node"])
        cluster.wait(lambda: any(each["id"] == job["id"] for each in cluster.jobs("PD")))
        cluster.revive_node(job["node"])
        cluster.call("scontrol", "update", f"JobId={job['id']}", "StartTime=now")  # not in two minutes
        story.statuses.append(first.wait(150))
    finally:
        first.kill()
        first.wait()
    second = project.snakemake("all")
    output.write_text(second.stdout + second.stderr)
    story.statuses.append(second.returncode)
    return story


def test_the_next_start_completes_the_study(story: Story) -> None:
    """The first start ends with an error, the second one with the study."""
    assert story.statuses[0] != 0
    assert story.statuses[1] == 0, story.output.read_text()
    assert len(story.records()) == len(RUNS)
    assert (story.project.folder / "results" / "small" / "complete.json").exists()


def test_nothing_finished_is_lost(story: Story) -> None:
    """What was measured before anything happened was not measured again."""
    records = story.records()

    assert story.finished_before
    assert {run: records[run]["started_at"] for run in story.finished_before} == story.finished_before


def test_only_a_failed_node_is_tried_again(story: Story) -> None:
    """A start submits each run once; SLURM itself starts that one again whose node went down."""
    times = {
        rule: sum(job["rule"] == rule for job in story.cluster.jobs())
        for rule in {job["rule"] for job in story.cluster.jobs()}
    }

    assert times.pop(story.cancelled) == 2
    assert times.pop(story.overdue) == 2
    assert set(times.values()) == {1}
    states = {job["rule"]: job["state"] for job in story.cluster.jobs()}
    assert states[story.taken] == "COMPLETED"


def test_jobs_ask_for_gpus_and_get_them(story: Story) -> None:
    """Every job asked for as many as the study needs, and the servers saw just those."""
    asked = {job["asked"] for job in story.cluster.jobs()}
    seen = {record["server"]["env"]["CUDA_VISIBLE_DEVICES"] for record in story.records().values()}

    assert asked == {f"gres:gpu:{GPUS}"}
    assert seen == {"0"}


def test_never_two_on_one_node_at_once(story: Story) -> None:
    """By SLURM's own stamps, and although two would have fitted."""
    jobs = [job for job in story.cluster.jobs() if job["start"] != "N/A" and job["node"]]

    together = [
        (one["rule"], other["rule"])
        for one, other in combinations(jobs, 2)
        if one["node"] == other["node"] and one["start"] < other["end"] and other["start"] < one["end"]
    ]

    assert len(jobs) > len(RUNS)
    assert together == []


def test_a_round_runs_on_one_node(story: Story) -> None:
    """The record says where, and says the same for all launches of a round, without the node's name."""
    nodes = {
        round_: {story.records()[launch, round_]["host"]["node"] for launch in LAUNCHES}
        for round_ in range(2)
    }

    assert all(len(found) == 1 for found in nodes.values())
    for run in RUNS:
        assert not any(name in story.project.record(*run).read_text() for name in ("gpu0", "gpu1"))
