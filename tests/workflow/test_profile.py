"""What a profile leaves of a study: cycles, banners, traces, and what of them is published."""

from pathlib import Path

import polars as pl
import pytest

from sweetspot.publish import publish
from sweetspot.render.columns import milliseconds_text
from sweetspot.run.cycles import Cycles, read_cycles
from sweetspot.study import Study
from tests.workflow.project import ROOT, Project

pytestmark = pytest.mark.workflow
PHASES = ["draft_s", "verify_s", "extend_s", "other_s"]


def measured(project: Project, profile: str) -> Path:
    """Measure the study with this profile, publish it, and return its folder."""
    project.study["profile"] = profile
    project.save()
    answer = project.snakemake("all")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return project.folder / "results" / "small"


def test_trace(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Phases in the summary, a banner for each variant, and traces that stay where they are."""
    results = measured(project, "trace")
    monkeypatch.chdir(project.folder)
    published = publish(Study.load(Path("config.yaml")))

    summary = pl.read_parquet(results / "summary.parquet").filter(pl.col("variant") == "s2.default")
    row = summary.row(0, named=True)
    assert sum(row[phase] for phase in PHASES) == pytest.approx(row["cycle_s"])
    assert row["cycle_clock"] == "made_up"
    assert "EAGLE3_PROF (" in (results / "eagle3_prof.txt").read_text()
    assert f"| {milliseconds_text(row['draft_s'])} |" in (results / "table.md").read_text()
    assert list((results / "run/s2.default/0/trace/s2.default").glob("*.trace.json.gz"))
    assert read_cycles(published / "run/s2.default/0/cycles.jsonl.gz").rows
    assert not (published / "run/s2.default/0/trace").exists()


def test_the_timers_cost(project: Project) -> None:
    """What shares a start is measured once more without the timer: no phases, the same tokens, and a line."""
    project.study |= {"launches": "auto", "controls": ["timer"], "rounds": 2}
    results = measured(project, "phases")

    rows = {row["variant"]: row for row in pl.read_parquet(results / "summary.parquet").to_dicts()}
    assert list(rows) == ["none.default", "s2.default", "none-untimed.default", "s2-untimed.default"]
    for name in ("none", "s2"):
        twin, control = rows[f"{name}.default"], rows[f"{name}-untimed.default"]
        assert (control["cycle_clock"], control["break_even_accept_length"]) == (None, None)
        assert control["cycle_s"] == control["chunk_cycle_s"] > 0
        assert control["accept_length"] == twin["accept_length"]
        assert control["exact"] == "exact"
        line = f"The timer's cost for {name}.default at load 1: "
        for page in ("table.md", "report.html"):
            text = (results / page).read_text().replace("&#39;", "'").replace("<strong>", "")
            assert line.rstrip(" ") in text.replace("</strong>", "")


def test_none(project: Project) -> None:
    """No cycles, no phases, no banner: a cycle is what lies between chunks."""
    results = measured(project, "none")

    row = pl.read_parquet(results / "summary.parquet").row(-1, named=True)
    assert read_cycles(results / "run/s2.default/0/cycles.jsonl.gz") == Cycles(None, [])
    assert row["cycle_s"] == row["chunk_cycle_s"] > 0
    assert [row[phase] for phase in PHASES] == [None] * 4
    assert "profile: none" in (results / "eagle3_prof.txt").read_text()
    assert not (results / "run/s2.default/0/trace").exists()


def test_the_default_study_has_phases() -> None:
    """Whoever runs `make` sees where the time of a cycle goes."""
    assert "\nprofile: phases\n" in (ROOT / "config.yaml").read_text()
