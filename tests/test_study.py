"""Tests of `sweetspot.study`."""

import json
from pathlib import Path

import pytest

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
