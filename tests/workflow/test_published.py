"""The studies in git, as a reader of the published numbers renders them."""

import shutil

import pytest

from sweetspot.published import published_studies, reported_studies
from tests.workflow.project import ROOT, Project

pytestmark = pytest.mark.workflow


def test_what_is_in_git_renders(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each published study has its report and its table, and no server starts for it."""
    monkeypatch.chdir(ROOT)
    names = [*published_studies(), *reported_studies()]
    shutil.copytree(ROOT / "results" / "published", project.folder / "results" / "published")

    answer = project.snakemake("published")

    rendered = project.folder / "results" / "rendered"
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert {"quickstart", "kimi-k2.5-int4"} <= set(names)
    assert all((rendered / name / "report.html").exists() for name in names)
    assert all((rendered / name / "table.md").exists() for name in names)
    assert not (project.folder / "results" / "small").exists()


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
