"""Whatever is killed, and whenever: no process is left, no half record counts, the next start goes on."""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from sweetspot.run.record import read
from tests.workflow.project import Project

pytestmark = pytest.mark.workflow

KILLS = int(os.environ.get("KILLS", "2"))  # of each kind; more by hand


def started(project: Project) -> list[psutil.Process]:
    """Return every process whose command line or folder is of this project."""
    found = []
    for process in psutil.process_iter(["cmdline", "cwd", "status"]):
        words, cwd = process.info["cmdline"] or [], process.info["cwd"]
        ours = cwd == str(project.folder) or any(str(project.folder) in word for word in words)
        if ours and process.pid != os.getpid() and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process)
    return found


def pick(project: Project, kind: str) -> psutil.Process | None:
    """Return the process of this *kind* that runs now, if any."""
    marks = {"snakemake": "bin/snakemake", "run": "bin/sweetspot run", "server": "-m sweetspot.engine.fake"}
    for process in started(project):
        line = " ".join(process.info["cmdline"])
        if marks[kind] in line and "keeper.py" not in line:
            return process
    return None


def wait_until_gone(project: Project) -> list[str]:
    """Return the command lines of what still runs of the project after some seconds."""
    until = time.monotonic() + 10
    while started(project) and time.monotonic() < until:
        time.sleep(0.05)
    return [" ".join(process.info["cmdline"]) for process in started(project)]


def whole(project: Project) -> bool:
    """Return whether there is nothing left to kill."""
    return (project.folder / "results" / "small" / "complete.json").exists()


@pytest.mark.parametrize("kind", ["snakemake", "run", "server"])
def test_kill_at_random_moments(project: Project, kind: str) -> None:
    """SIGKILL or SIGTERM in load, decode or write: nothing is left, and in the end the study is whole."""
    project.study["rounds"] = 2 * KILLS
    project.save()
    chance = random.Random(kind)
    killed = 0
    while killed < KILLS:
        if whole(project):
            shutil.rmtree(project.folder / "results")
        snakemake = project.begin("all", start_new_session=True)
        while (victim := pick(project, kind)) is None and snakemake.poll() is None:
            time.sleep(0.01)
        time.sleep(chance.uniform(0, 0.5 if kind != "snakemake" else 5))
        victim = pick(project, kind)
        if victim is not None:
            victim.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM]))
            killed += 1
        if snakemake.poll() is None and kind != "snakemake":
            snakemake.terminate()  # it ends after the job at hand
        snakemake.wait()
        assert wait_until_gone(project) == []
        for path in Path(project.folder, "results", "small", "run").rglob("record.json"):
            assert read(path)["status"] in {"complete", "failed"}

    finished = project.snakemake("all")

    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert all(
        read(project.record(launch, round_))["status"] == "complete"
        for launch in ("none.default", "s2.default")
        for round_ in range(2 * KILLS)
    )


def test_ctrl_c(project: Project) -> None:
    """Snakemake and its run end, a line says how to go on, and what is there is not measured again."""
    project.study["rounds"] = 2
    project.save()
    snakemake = project.begin("all", stderr=subprocess.PIPE, start_new_session=True)
    while not (first := list(project.folder.glob("results/small/run/*.default/0/record.json"))):
        time.sleep(0.05)
    while pick(project, "server") is None:
        time.sleep(0.01)

    os.killpg(snakemake.pid, signal.SIGINT)
    _, said = snakemake.communicate()

    assert snakemake.returncode != 0
    assert "\nStopped. What was measured is kept: the same command goes on from there.\n" in said
    assert wait_until_gone(project) == []
    assert project.planned("all")["run"] == 2 * 3 - len(first)  # with the baseline's control
