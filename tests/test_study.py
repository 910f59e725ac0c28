import json
import shutil
from pathlib import Path

import pytest

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
    """Tests of `Study.identity`, which decides what is measured again."""

    def test_another_version_of_a_package(self, study: Path) -> None:
        """A changed engine lock is another identity for every launch."""
        before = Study.load(study).identity("none.default")

        edit_lock(study, "numpy==2.4.6", "numpy==2.4.7")

        assert Study.load(study).identity("none.default") != before

    def test_a_comment_in_the_lock(self, study: Path) -> None:
        """What a lock says about itself is no physics."""
        before = Study.load(study).identity("none.default")

        edit_lock(study, "# make lock", "# locked")

        assert Study.load(study).identity("none.default") == before

    def test_what_is_left_out(self, study: Path) -> None:
        """No path, no limit and no near-tie stands in it."""
        text = json.dumps(Study.load(study).identity("s2.default"))

        assert "models/target" not in text
        assert "stall_s" not in text
        assert "near_tie" not in text


class TestAttempt:
    """A failure makes the next start ask again; a success does not."""

    @pytest.mark.parametrize(("status", "attempt"), [("failed", 3), ("complete", 2)])
    def test_after_an_outcome(self, study: Path, status: str, attempt: int) -> None:
        """The attempt of a failed record is followed by the next one."""
        outcome = Study.load(study).record("s2.default", 0).with_name("outcome.json")
        outcome.parent.mkdir(parents=True)
        outcome.write_text(json.dumps({"attempt": 2, "status": status, "failure": None}))

        assert Study.load(study).asked("s2.default", 0)["attempt"] == attempt


def test_auto_is_resolved_once(study: Path, project: Project) -> None:
    """The engine that `auto` meant first stays, whatever this host would be given now."""
    values = project.study | {"engine": "auto"}
    values["engines"]["engine-cu12"] = {"args": {"max-running-requests": 8}, "env": {}}
    project.study = values
    project.save()
    known = Path("results", "small", "plan", "engine.json")
    known.parent.mkdir(parents=True)
    known.write_text(json.dumps({"asked": "auto", "name": "engine-cu12"}))

    assert Study.load(study).engine == "engine-cu12"
    known.unlink()
    assert Study.load(study).engine != "engine-cu12"
