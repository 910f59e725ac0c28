"""A round stays on its node, and what can't be measured here is said before a server starts."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from sweetspot.errors import StudyError
from sweetspot.workflow import refuse_auto_elsewhere
from tests.workflow.project import Project

RUNS = [("none.default", 0), ("none.default", 1), ("s2.default", 1)]


@pytest.mark.workflow
def test_a_round_on_another_node(project: Project) -> None:
    """A launch that joins a round elsewhere is refused; where that is wanted, the round moves as a whole."""
    project.study["rounds"] = 2
    project.save()
    records = [f"results/small/run/{launch}/{round_}/record.json" for launch, round_ in RUNS]
    measured = project.snakemake(*records)
    assert measured.returncode == 0, measured.stdout + measured.stderr
    project.environment["SLURMD_NODENAME"] = "another"
    project.record("s2.default", 1).unlink()

    refused = project.snakemake(*records)
    planned = project.planned("--forcerun", "results/small/plan/node/1.json", "--", *records)

    assert refused.returncode != 0
    assert "results/small/plan/node/1.json: this is another, expected " in refused.stdout + refused.stderr
    assert not project.record("s2.default", 1).exists()
    assert planned["run"] == 2
    assert planned["node"] == 1


@pytest.mark.workflow
def test_a_damaged_node_file(project: Project) -> None:
    """It is named without a traceback, before anything of its round starts."""
    node = project.folder / "results" / "small" / "plan" / "node" / "0.json"
    node.parent.mkdir(parents=True)
    node.touch()

    answer = project.snakemake("all")

    assert answer.returncode != 0
    assert "results/small/plan/node/0.json: Expecting value" in answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize("resolved", [False, True])
def test_auto_is_resolved_where_it_is_measured(tmp_path: Path, resolved: bool) -> None:
    """A login node can't say which engine suits the others, unless one of them did."""
    study = SimpleNamespace(values={"engine": "auto"}, folder=tmp_path, file=Path("config.yaml"))
    (tmp_path / "plan").mkdir()
    refuse_auto_elsewhere(study, elsewhere=False)
    if resolved:
        (tmp_path / "plan" / "engine.json").touch()
        refuse_auto_elsewhere(study, elsewhere=True)
        return

    with pytest.raises(StudyError, match=r"config.yaml: engine: 'auto', expected an engine by its name"):
        refuse_auto_elsewhere(study, elsewhere=True)
