"""Tests of `sweetspot.asked`: what is measured again, and what is not."""

import json
import shutil
from pathlib import Path

import pytest

from sweetspot import asked
from sweetspot.host import env
from sweetspot.study import Study
from tests.workflow.project import ROOT, Project


@pytest.fixture
def study(project: Project, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study on the locked CPU engine, whose locks are a copy that a test may edit."""
    monkeypatch.chdir(project.folder)
    monkeypatch.setattr(env, "ROOT", project.folder)
    shutil.copytree(ROOT / "envs", project.folder / "envs")
    project.study["engine"] = "engine-cpu"
    project.study["engines"] = {
        "engine-cpu": {"args": {"device": "cpu", "max-running-requests": 8}, "env": {}}
    }
    project.save()
    return project.folder / "config.yaml"


def edit_lock(study: Path, old: str, new: str) -> None:
    """Replace *old* by *new* in the lock of the study's engine."""
    lock = study.parent / "envs" / "engine-cpu" / "requirements.lock"
    text = lock.read_text()
    assert old in text
    lock.write_text(text.replace(old, new))


class TestIdentity:
    """Tests of `identity`, which decides what is measured again."""

    def test_another_version_of_a_package(self, study: Path) -> None:
        """A changed engine lock is another identity for every launch."""
        before = asked.identity(Study.load(study), "none.default")

        edit_lock(study, "numpy==2.4.6", "numpy==2.4.7")

        assert asked.identity(Study.load(study), "none.default") != before

    def test_a_comment_in_the_lock(self, study: Path) -> None:
        """What a lock says about itself is no physics."""
        before = asked.identity(Study.load(study), "none.default")

        edit_lock(study, "# make lock", "# locked")

        assert asked.identity(Study.load(study), "none.default") == before

    def test_what_is_left_out(self, study: Path) -> None:
        """No path, no limit and no near-tie stands in it."""
        text = json.dumps(asked.identity(Study.load(study), "s2.default"))

        assert "models/target" not in text
        assert "stall_s" not in text
        assert "near_tie" not in text

    def test_the_control_of_the_timer(self, study: Path, project: Project) -> None:
        """A launch that turns it says which variants are without; no other launch has a word of it."""
        project.study |= {"launches": "auto", "controls": [], "profile": "phases"}
        project.study["speculation"]["num_steps"] = [1, 2]
        project.save()
        without = Study.load(study)
        project.study["controls"] = ["timer"]
        project.save()
        turned = Study.load(study)

        assert "untimed" not in asked.identity(without, "oneload.default")
        assert asked.identity(turned, "oneload.default")["untimed"] == ["s2-untimed.default"]
        assert asked.identity(turned, "none.default") == asked.identity(without, "none.default")


class TestAttempt:
    """A failure makes the next start ask again; a success does not."""

    @pytest.mark.parametrize(("status", "attempt"), [("failed", 3), ("complete", 2)])
    def test_after_an_outcome(self, study: Path, status: str, attempt: int) -> None:
        """The attempt of a failed record is followed by the next one."""
        outcome = Study.load(study).record("s2.default", 0).with_name("outcome.json")
        outcome.parent.mkdir(parents=True)
        outcome.write_text(json.dumps({"attempt": 2, "status": status, "failure": None}))

        assert asked.of_run(Study.load(study), "s2.default", 0)["attempt"] == attempt

    @pytest.mark.parametrize("content", ["", "[]", "{}"])
    def test_after_a_damaged_outcome(self, study: Path, content: str) -> None:
        """Nobody knows what became of the launch, so it is tried again."""
        outcome = Study.load(study).record("s2.default", 0).with_name("outcome.json")
        outcome.parent.mkdir(parents=True)
        outcome.write_text(content)

        assert asked.of_run(Study.load(study), "s2.default", 0)["attempt"] == 1
