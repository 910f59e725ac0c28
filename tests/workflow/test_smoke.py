"""The short run before a sweep, as Snakemake runs it: a doomed sweep does not start."""

import json

import pytest

from tests.workflow.project import Project

pytestmark = pytest.mark.workflow


def records(project: Project) -> list[str]:
    """Return which launches have a record."""
    return sorted(path.parent.parent.name for path in project.folder.rglob("record.json"))


def test_a_dead_draft_stops_the_sweep(project: Project) -> None:
    """No launch but the short run starts, also at the next try, and the record of that is kept."""
    project.study["engines"]["fake"]["env"]["FAKE_FAULT"] = "dead-draft"
    project.save()

    answer = project.snakemake("all")

    said = answer.stdout + answer.stderr
    assert answer.returncode != 0
    assert "accept_length 1.00, expected above 1.02, below which a draft is dead; most likely" in said
    assert records(project) == ["smoke"]
    assert "run" not in project.planned("results/small/smoke.json")


def test_a_band_is_held_against_what_was_found(project: Project) -> None:
    """A draft that passed is judged again by another band, without a server, before any rule runs."""
    project.snakemake("results/small/smoke.json")
    found = json.loads((project.folder / "results" / "small" / "smoke.json").read_text())["accept_length"]

    project.study["smoke"]["accept_length"] = [1.0, round(found - 0.1, 2)]
    project.save()
    refused = project.snakemake("--dry-run", "all")
    project.study["smoke"]["accept_length"] = [1.0, round(found + 0.1, 2)]
    project.save()
    planned = project.planned("all")

    assert f"accept_length {found:.2f}, expected 1 to " in refused.stderr
    assert refused.returncode != 0
    assert planned["run"] == 3
    assert "smoke" not in planned
