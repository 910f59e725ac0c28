"""What is measured again, and what is not: real Snakemake on the stand-in engine."""

import os
import shutil
from pathlib import Path

import pytest

from sweetspot.publish import publish
from sweetspot.run.record import read
from sweetspot.study import Study
from tests.workflow.project import ROOT, Project

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose study was measured and rendered from nothing."""
    project = Project(tmp_path_factory.mktemp("measured"))
    answer = project.snakemake("all")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return project


@pytest.fixture
def project(measured: Project, tmp_path: Path) -> Project:
    """A copy of the measured project, with everything that Snakemake knows of it."""
    copy = Project(tmp_path / "copy")
    shutil.rmtree(copy.folder)
    shutil.copytree(measured.folder, copy.folder)
    return copy


def test_from_nothing_to_the_report(measured: Project) -> None:
    """One command measures every launch and leaves table, figures and report."""
    results = measured.folder / "results" / "small"

    assert measured.record("none.default").exists()
    assert measured.record("s2.default").exists()
    assert "s2.default" in (results / "table.md").read_text()
    assert "</html>" in (results / "report.html").read_text()
    assert {path.name for path in (results / "figures").iterdir()} >= {"speed.svg", "acceptance.png"}


def test_a_second_start_does_nothing(project: Project) -> None:
    """Everything is there, so nothing runs."""
    assert project.planned("all") == {}


@pytest.mark.parametrize(
    "lost", ["run/s2.default/0/record.json", "report.html", "figures/speed.svg", "table.md"]
)
def test_what_was_lost_is_made_again(project: Project, lost: str) -> None:
    """A deleted file comes back, also one from which only finished files were made."""
    path = project.folder / "results" / "small" / lost
    path.unlink()

    project.snakemake("all")

    assert path.exists()


def test_touched_files_change_nothing(project: Project) -> None:
    """New times on old content, as a clone or a copy gives them, measure nothing again."""
    for path in [project.folder / "config.yaml", *project.folder.rglob("*")]:
        if path.is_file() and ".snakemake" not in path.parts:
            os.utime(path)

    assert "run" not in project.planned("all")


def test_a_cache_measures_nothing_again(project: Project, tmp_path: Path) -> None:
    """What the cache knows of the host is no reason to measure again what is there."""
    project.environment["SNAKEMAKE_OUTPUT_CACHE"] = str(tmp_path)

    assert project.planned("--cache", "run", "--", "all") == {}


def test_a_longer_list_of_steps_runs_the_new_ones(project: Project) -> None:
    """Two more step counts are two more launches; the others stay."""
    project.study["speculation"]["num_steps"] = [2, 3, 5]
    project.save()

    assert project.planned("all")["run"] == 2


def test_another_round_runs_that_round(project: Project) -> None:
    """A second round is each launch once more."""
    project.study["rounds"] = 2
    project.save()

    assert project.planned("all")["run"] == 3


def test_a_shorter_list_measures_nothing_and_renders_again(project: Project) -> None:
    """Without the chain only the table and what follows it change."""
    project.study["speculation"]["num_steps"] = [3]
    project.save()
    project.snakemake("all")
    project.study["speculation"]["num_steps"] = [2]
    project.save()

    planned = project.planned("all")

    assert "run" not in planned
    assert planned["measure"] == planned["report"] == 1


@pytest.mark.parametrize(
    "change",
    ["seed", "prompts", "target", "draft", "argument", "tokens"],
)
def test_what_changes_the_physics_measures_again(project: Project, change: str) -> None:
    """A changed seed, prompt, model or setting of the server runs every launch again, and the short one.

    That has one pass, so the seed of the orders is nothing to it.
    """
    if change == "seed":
        project.study["seed"] = 1
    elif change == "prompts":
        project.write_prompts([[1, 2, 3], [4, 5, 6], [7, 8, 10]])
    elif change in {"target", "draft"}:
        project.write_model(change, hidden_size=128)
    elif change == "argument":
        project.study["engines"]["fake"]["args"]["max-running-requests"] = 9
    else:
        project.study["generation"]["max_new_tokens"] = 20
    project.save()

    assert project.planned("all")["run"] == (3 if change == "seed" else 4)


def test_a_renamed_study_is_the_same_study(project: Project) -> None:
    """Where the study file lies is no physics."""
    (project.folder / "studies").mkdir()
    (project.folder / "config.yaml").rename(project.folder / "studies" / "small.yaml")

    assert "run" not in project.planned("--config", "study=small", "--", "all")


def test_limits_and_near_ties_measure_nothing_again(project: Project) -> None:
    """When a server is given up, and what counts as a tie, is no part of a measurement."""
    project.study["limits"]["stall_s"] = 30
    project.study["exactness"]["near_tie_nats"] = 0.2
    project.save()

    planned = project.planned("all")

    assert "run" not in planned
    assert planned["measure"] == 1


@pytest.mark.parametrize(
    ("part", "reruns"),
    [("render/theme.py", "report"), ("analyse/summary.py", "summarise"), ("run/runner.py", None)],
)
def test_an_edited_source_reruns_what_it_computes(
    project: Project, tmp_path: Path, part: str, reruns: str | None
) -> None:
    """Editing a figure, a statistic, or a comment where it is measured costs no server start."""
    project.workflow = tmp_path / "edited"
    for name in ("sweetspot", "rules", "profiles", "envs"):
        shutil.copytree(ROOT / name, project.workflow / name)
    for name in ("Snakefile", "config.schema.yaml"):
        shutil.copy(ROOT / name, project.workflow)
    with (project.workflow / "sweetspot" / part).open("a") as source:
        source.write("# a comment\n")

    planned = project.planned("all")

    assert "run" not in planned
    assert planned.get(reruns, 0) == (1 if reruns else 0)
    assert bool(planned) is bool(reruns)


class TestFailedLaunch:
    """A launch that fails is a row, not the end."""

    @pytest.fixture
    def failed(self, project: Project) -> Project:
        """The project with an NCCL variant whose server dies, after one start."""
        project.study["nccl"]["broken"] = {"env": {"FAKE_FAULT": "die"}, "args": {}}
        project.save()
        self.answer = project.snakemake("all")
        return project

    def test_the_study_is_rendered_and_the_end_names_it(self, failed: Project) -> None:
        """The rest is measured, the report shows the failure, and `all` fails naming it."""
        report = (failed.folder / "results" / "small" / "report.html").read_text()

        assert self.answer.returncode != 0
        assert "s2.broken/0: the server: died in mid-run" in self.answer.stdout + self.answer.stderr
        assert "Scheduler hit an exception: made up" in report
        assert failed.record("s2.default").exists()

    def test_the_next_start_tries_it_again(self, failed: Project) -> None:
        """Only what failed is measured again."""
        assert failed.planned("all")["run"] == 3

    def test_two_failed_rounds_are_enough(self, project: Project) -> None:
        """The third costs no start; the next start of the workflow tries all three."""
        project.study["nccl"]["broken"] = {"env": {"FAKE_FAULT": "die"}, "args": {}}
        project.study |= {"rounds": 3, "speculation": {**project.study["speculation"], "num_steps": [2]}}
        project.save()

        assert project.snakemake("all").returncode != 0

        kinds = [read(project.record("s2.broken", number))["failure"]["kind"] for number in range(3)]
        assert kinds == ["died", "died", "given_up"]
        assert all(read(project.record("s2.default", number))["failure"] is None for number in range(3))
        assert project.planned("all")["run"] == 9


class TestPublished:
    """Published studies are rendered from what is in git, and nothing can overwrite them."""

    @pytest.fixture
    def clone(self, project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
        """A fresh clone with a published study: no metadata, and no other results."""
        monkeypatch.chdir(project.folder)
        publish(Study.load(Path("config.yaml")))
        for folder in (".snakemake", "results/small", "results/env"):
            shutil.rmtree(folder, ignore_errors=True)
        return project

    def test_renders_without_a_server(self, clone: Project) -> None:
        """Only cheap rules run, and the report is there."""
        assert "run" not in clone.planned("published")

        answer = clone.snakemake("published")

        assert answer.returncode == 0, answer.stderr
        assert (clone.folder / "results" / "rendered" / "small" / "report.html").exists()
        assert clone.planned("published") == {}

    def test_the_same_bytes_on_every_run(self, clone: Project) -> None:
        """What is rendered twice is the same, byte for byte."""
        rendered = clone.folder / "results" / "rendered" / "small"
        clone.snakemake("published")
        first = {path: path.read_bytes() for path in rendered.rglob("*.*") if path.suffix != ".log"}
        shutil.rmtree(rendered)

        clone.snakemake("published")

        assert first
        assert {path: path.read_bytes() for path in first} == first

    def test_a_missing_record_is_an_error(self, clone: Project) -> None:
        """A record that git lost is never measured in its place."""
        (clone.folder / "results/published/small/run/s2.default/0/record.json").unlink()

        answer = clone.snakemake("--dry-run", "published")

        assert answer.returncode != 0
        assert "record.json: missing, expected every record of results/published/small/plan.json" in (
            answer.stdout + answer.stderr
        )
