"""The studies in git, as a reader of the published numbers renders them."""

import shutil
from pathlib import Path

import pytest

from sweetspot.analyse.compare import compare, describe
from sweetspot.analyse.study_files import StudyFiles
from sweetspot.published import published_studies, reported_studies
from tests import browser
from tests.workflow.project import ROOT, Project

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project in which all that is published was rendered."""
    project = Project(tmp_path_factory.mktemp("everything"))
    shutil.copytree(ROOT / "results" / "published", project.folder / "results" / "published")
    answer = project.snakemake("published")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return project


def test_what_is_in_git_renders(everything: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each published study has its report and its table, and no server starts for it."""
    monkeypatch.chdir(ROOT)
    names = [*published_studies(), *reported_studies()]

    rendered = everything.folder / "results" / "rendered"

    assert {"quickstart", "h200-8b", "kimi-k2.5-int4"} <= set(names)
    assert all((rendered / name / "report.html").exists() for name in names)
    assert all((rendered / name / "table.md").exists() for name in names)
    assert not (everything.folder / "results" / "small").exists()


def test_two_of_them_can_be_compared(everything: Project) -> None:
    """Their real records have every fact that a comparison looks for, whichever folder is named."""
    published, rendered = (everything.folder / "results" / kind for kind in ("published", "rendered"))

    found = compare(StudyFiles.read(published / "quickstart"), StudyFiles.read(rendered / "h200-8b"))

    text = describe(found)
    assert "driver: version none -> 580.159.04" in text
    assert "decode speed, speedup, cycle: measured on" in text


@browser.needed
@pytest.mark.parametrize("width", [360, 1280])
def test_every_page_can_be_read_on_any_screen(everything: Project, width: int, tmp_path: Path) -> None:
    """A phone and a desk: nothing sticks out, and no label is cut off or covered."""
    pages = list(everything.folder.glob("results/rendered/*/report.html"))

    seen = {page.parent.name: browser.look(page.read_text(), width, tmp_path) for page in pages}

    assert len(seen) > 2
    for found in seen.values():
        assert min(found["texts"]) > 10
        assert found["beyond"] == found["outside"] == found["overlapping"] == []
        assert found["width"] <= width


def test_a_reported_study_has_its_audit_beside_it(project: Project) -> None:
    """The contradictions in what is stated stand in a file and in the report."""
    shutil.copytree(
        ROOT / "results" / "published" / "kimi-k2.5-int4",
        project.folder / "results" / "published" / "kimi-k2.5-int4",
    )

    project.snakemake("published")

    rendered = project.folder / "results" / "rendered" / "kimi-k2.5-int4"
    audit = (rendered / "audit.txt").read_text()
    report = (rendered / "report.html").read_text()
    assert "[mixed-convention]" in audit
    assert "[mixed-convention]" in report
    assert "Reported, not measured" in report
