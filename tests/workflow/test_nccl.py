"""NCCL variants from probe to verdict: real Snakemake, and a stand-in that writes NCCL's lines."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.workflow.project import Project

pytestmark = pytest.mark.workflow

BY_NCCL = {"disable-custom-all-reduce": True}
VARIANTS: dict[str, Any] = {
    "default": {"env": {}, "args": BY_NCCL},
    "tuned": {"bundle": {"NCCL_PROTO": "LL", "NCCL_ALGO": "allreduce:tree"}, "args": BY_NCCL},
    "custom": {"env": {}, "args": {}},
}


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A study with a bundle, and a variant in which NCCL serves nothing, on two GPUs that are made up."""
    project = Project(tmp_path_factory.mktemp("nccl"))
    project.write_model("target", hidden_size=64, num_hidden_layers=2)
    project.study |= {"tp_size": 2, "nccl": VARIANTS}
    project.save()
    answer = project.snakemake("all")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return project


def read(project: Project, name: str) -> Any:  # noqa: ANN401
    """Return a JSON file of the study's results."""
    return json.loads((project.folder / "results" / "small" / name).read_text())


def test_each_variant_is_proven_by_nccls_own_lines(measured: Project) -> None:
    """What is asked for is seen at verify size; what another all-reduce serves is not on the path."""
    found = read(measured, "nccl.json")

    assert found["reference"] == "default"
    assert {name: variant["status"] for name, variant in found["variants"].items()} == {
        "default": "seen",
        "ll": "seen",
        "allreduce-tree": "seen",
        "tuned": "seen",
        "custom": "not on the path",
    }
    verify = [row for row in found["messages"] if row["nccl"] == "tuned" and row["draft_tokens"] == 3]
    assert [(row["bytes"], row["algorithm"], row["protocol"]) for row in verify] == [(384, "TREE", "LL")]


def test_what_nccl_did_anyway_is_not_ranked(measured: Project) -> None:
    """LL is what NCCL takes by itself at these sizes, so that variant is the default by another name."""
    same = {name: found["without_effect"] for name, found in read(measured, "nccl.json")["variants"].items()}
    verdict = read(measured, "verdict.json")
    judged = {row["variant"]: row["verdict"] for row in verdict["rows"]}

    assert same == {"default": False, "ll": True, "allreduce-tree": False, "tuned": False, "custom": False}
    assert {judged["none.ll"], judged["s2.ll"]} <= {"without effect", "broken"}  # a busy machine breaks rows
    assert "s2.ll" not in verdict["sweet_spot"]


def test_a_second_start_does_nothing(measured: Project) -> None:
    """Probes are records like any other."""
    assert measured.planned("all") == {}


def test_a_new_variant_probes_itself_alone(measured: Project) -> None:
    """Another NCCL variant leaves the records of the others alone."""
    measured.study["nccl"] = VARIANTS | {"simple": {"env": {"NCCL_PROTO": "Simple"}, "args": BY_NCCL}}
    measured.save()

    planned = measured.planned("all")

    assert (planned["probe"], planned["allreduce"]) == (1, 1)


def test_on_one_gpu_nothing_is_started(tmp_path: Path) -> None:
    """The reason is written, and the study goes on."""
    project = Project(tmp_path)

    answer = project.snakemake("all")

    assert answer.returncode == 0, answer.stdout + answer.stderr
    probe = read(project, "probe/default/probe.json")
    assert (probe["status"], probe["server"]) == ("skipped", {})
    assert probe["reason"] == "one GPU: there is nothing to all-reduce, so NCCL takes no part"
    assert read(project, "allreduce/default/allreduce.json")["reason"] == probe["reason"]
