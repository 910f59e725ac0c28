"""The second stage, one-load launches held against dedicated ones: real Snakemake on the stand-in engine."""

import json
from pathlib import Path

import pytest

from sweetspot.publish import publish
from sweetspot.study import Study
from tests.workflow.project import Project

pytestmark = pytest.mark.workflow


@pytest.fixture
def project(project: Project) -> Project:
    """A study whose variants share a start, with a second stage."""
    project.study |= {"launches": "auto", "equality_rounds": 1, "rounds": 1}
    project.study["speculation"]["num_steps"] = [1, 2]
    project.save()
    return project


def final_launches(project: Project) -> list[str]:
    """Return the ids of the launches whose records decide."""
    plan = json.loads((project.folder / "results" / "small" / "plan" / "final.json").read_text())
    return [launch["id"] for launch in plan["launches"]]


def test_equal_servers_leave_the_first_plan(project: Project) -> None:
    """The baseline and the winner are measured both ways, the report shows it, and nothing is left to do.

    One round refutes nothing, whatever else this machine does meanwhile.
    """
    answer = project.snakemake("all")

    assert answer.returncode == 0, answer.stdout + answer.stderr
    results = project.folder / "results" / "small"
    equality = json.loads((results / "equality.json").read_text())
    both_ways = [row["variant"] for row in equality["rows"]]
    runs = {path.parent.parent.name for path in results.glob("run/*/*/record.json")} - {"smoke"}
    assert both_ways in (["none.default", "s1.default"], ["none.default", "s2.default"])
    assert equality["holds"] is True
    assert runs == {"oneload.default", "oneload-again.default", *both_ways}
    assert final_launches(project) == ["oneload.default"]
    assert "one load over dedicated" in (results / "report.html").read_text()
    assert len(json.loads((results / "complete.json").read_text())) == 1 + 3
    assert project.planned("all") == {}


def test_a_plain_path_that_lies_makes_every_variant_start_its_own_server(project: Project) -> None:
    """What the switching server said of the baseline is refuted, and no number of it reaches the table."""
    project.environment["FAKE_FAULT"] = "slow-plain"
    project.study["equality_rounds"] = 4
    project.save()

    answer = project.snakemake("all")

    assert answer.returncode == 0, answer.stdout + answer.stderr
    results = project.folder / "results" / "small"
    assert json.loads((results / "equality.json").read_text())["holds"] is False
    assert final_launches(project) == ["none.default", "none-again.default", "s1.default", "s2.default"]
    assert "refuted" in (results / "table.md").read_text()
    table = (results / "table.csv").read_text()
    assert "oneload" not in table
    assert "s1.default" in table
    assert project.planned("all") == {}


def test_a_damaged_plan_is_one_line(project: Project) -> None:
    """That of the second stage, cut short, is named without a traceback, whatever is asked for."""
    project.snakemake("results/small/equality.json")
    (project.folder / "results" / "small" / "plan" / "recheck.json").write_text("")

    for target in ("equality.json", "run/none.default/0/record.json", "preflight/none.default.json"):
        answer = project.snakemake("--dry-run", f"results/small/{target}")

        assert answer.returncode != 0
        assert "results/small/plan/recheck.json: Expecting value" in answer.stderr
        assert "Traceback" not in answer.stderr


def test_a_published_proof_is_rendered(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The records of both stages are published, and the rendered report has the proof."""
    project.snakemake("all")
    monkeypatch.chdir(project.folder)
    publish(Study.load(Path("config.yaml")))

    answer = project.snakemake("results/rendered/small/report.html")

    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert (
        "one load over dedicated"
        in (project.folder / "results" / "rendered" / "small" / "report.html").read_text()
    )
