"""Tests of `sweetspot.study`."""

import json
from pathlib import Path

import pytest

from sweetspot.errors import StudyError
from sweetspot.study import Study
from tests.workflow.project import Project


def test_auto_is_resolved_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine that `auto` meant first stays, whatever this host would be given now."""
    monkeypatch.chdir(project.folder)
    entry = {"args": {"max-running-requests": 8}, "env": {}}
    cpu = {"args": {"device": "cpu", "max-running-requests": 8}, "env": {}}
    project.study |= {"engine": "auto", "engines": {"engine-cpu": cpu, "engine-cu12": entry}}
    project.save()
    known = Path("results", "small", "plan", "engine.json")
    known.parent.mkdir(parents=True)
    known.write_text(json.dumps({"asked": "auto", "name": "engine-cu12"}))

    first = Study.load(Path("config.yaml")).engine
    known.unlink()
    now = Study.load(Path("config.yaml")).engine

    assert first == "engine-cu12"
    assert now != "engine-cu12"


def test_the_second_stage_is_of_timed_variants(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the longest chain had won, not its control."""
    monkeypatch.chdir(project.folder)
    project.study |= {"launches": "auto", "controls": ["timer"], "profile": "phases"}
    project.study["equality_rounds"] = 1
    project.study["speculation"]["num_steps"] = [1, 2]
    project.save()

    second = Study.load(Path("config.yaml")).second_stage()

    assert second is not None
    assert [variant.id for variant in second.variants] == ["none.default", "s2.default"]


@pytest.mark.parametrize("started", ["config.yaml", "studies/small.yaml"])
def test_two_studies_of_one_name_are_refused(
    project: Project, monkeypatch: pytest.MonkeyPatch, started: str
) -> None:
    """Each start of one would measure again what the other has; the same study twice is one study."""
    monkeypatch.chdir(project.folder)
    copy = Path("studies", "small.yaml")
    copy.parent.mkdir()
    copy.write_bytes(Path("config.yaml").read_bytes())
    Study.load(Path(started))
    copy.write_text(copy.read_text().replace("seed: 0", "seed: 1"))

    with pytest.raises(StudyError, match=rf"^{started}: name: 'small', expected another than in \w"):
        Study.load(Path(started))
