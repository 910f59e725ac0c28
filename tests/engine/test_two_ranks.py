"""A launch that switches, on two ranks: real SGLang over gloo on this machine's CPU, by real Snakemake."""

import gzip
import json
import os
from itertools import islice
from typing import Any

import psutil
import pytest

from sweetspot.engine.plugin import UNITS
from sweetspot.models.spec import spec
from sweetspot.run.cycles import read_cycles
from sweetspot.run.record import read, unpack
from tests.engines import cpu_python
from tests.models.walk import walk
from tests.workflow.project import Project

pytestmark = pytest.mark.engine

STEPS = {"s1.default": 1, "s2.default": 2}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The default study on two ranks: its short run, what NCCL is asked, and the launch that switches."""
    cpu_python()
    project = Project(tmp_path_factory.mktemp("two"))
    project.take_default_study(engine="engine-cpu", tp_size=2, equality_rounds=0)
    project.study |= {"loads": [1, 2], "rounds": 1, "repeats": 1, "warmup_passes": 0}
    project.study["speculation"]["num_steps"] = list(STEPS.values())
    project.study["generation"]["max_new_tokens"] = 32
    cores = sorted(os.sched_getaffinity(0))
    each_rank_its_core = {"SGLANG_CPU_OMP_THREADS_BIND": f"{cores[0]}|{cores[-1]}"}
    project.study["engines"]["engine-cpu"]["env"] |= each_rank_its_core
    project.save()
    asked = [f"results/small/{stage}/default/{stage}.json" for stage in ("probe", "allreduce")]
    answer = project.snakemake("--", *asked, "results/small/run/oneload.default/0/record.json")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return project


@pytest.fixture(scope="module")
def shared(measured: Project) -> dict[str, Any]:
    """The record of the launch that switches."""
    return read(measured.record("oneload.default"))


def test_both_ranks_switch_together(measured: Project, shared: dict[str, Any]) -> None:
    """Every pass ran its own step count alone, and the ranks' logs tell of the same switches in one order."""
    log = measured.record("oneload.default").with_name("server.log.gz")
    with gzip.open(log, "rt") as lines:
        said = [line.split("] ", 1) for line in lines if "] switch to " in line]
    ranks = {rank: [text for where, text in said if where.endswith(rank)] for rank in ("TP0", "TP1")}

    assert shared["server"]["resolved"]["tp_size"] == 2
    assert ranks["TP0"] == ranks["TP1"]
    assert len(ranks["TP0"]) >= len(shared["passes"]) == 4
    for measured_pass in shared["passes"]:
        steps = STEPS[measured_pass["variant"]]
        assert list(measured_pass["switch"]["cycles"]) == [str(steps)]


def test_one_rank_times_its_cycles(measured: Project, shared: dict[str, Any]) -> None:
    """Each cycle once, with its phases, at the step count of its pass."""
    cycles = read_cycles(measured.record("oneload.default").with_name("cycles.jsonl.gz"))
    rows = [dict(zip(UNITS, row, strict=True)) for row in cycles.rows]

    assert len(rows) == sum(sum(p["switch"]["cycles"].values()) for p in shared["passes"])
    assert {row["num_steps"] for row in rows} == set(STEPS.values())
    assert all(row["verify_us"] for row in rows)


def test_both_ranks_draft_and_verify_right(shared: dict[str, Any]) -> None:
    """Every pass says the same, and accepts what the pair was made for: half a model would do neither."""
    orbit = spec({"shape": "tiny", "acceptance": [0.75], "seed": 0}).orbit()
    outputs = [[request["output"] for request in p["requests"]] for p in shared["passes"]]

    assert outputs[0] == outputs[1] == outputs[2] == outputs[3]
    for measured_pass in shared["passes"]:
        steps = STEPS[measured_pass["variant"]]
        for request in measured_pass["requests"]:
            first = unpack(shared["outputs"][request["output"]])[0]
            found = request["meta"]["spec_correct_drafts_histogram"]
            accepted = list(islice(walk(orbit, first, steps), sum(found)))
            expected = [accepted.count(drafts) for drafts in range(len(found))]
            assert expected == pytest.approx(found, abs=1)  # the last cycle may be cut short


@pytest.mark.parametrize("stage", ["probe", "allreduce"])
def test_nccl_is_asked_nothing(measured: Project, stage: str) -> None:
    """Nothing was started for it, and the record says why."""
    path = measured.folder / "results" / "small" / stage / "default" / f"{stage}.json"
    record = json.loads(path.read_text())

    assert (record["status"], record["reason"]) == ("skipped", "on a CPU: NCCL takes no part")


def test_nothing_is_left(measured: Project) -> None:
    """No process of the servers, whatever its rank, runs on."""
    left = [p for p in psutil.process_iter(["cwd"]) if p.info["cwd"] == str(measured.folder)]

    assert left == []
