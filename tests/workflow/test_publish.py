"""What may be published: a study of two stages as real Snakemake left it, and that study spoiled."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from sweetspot.errors import SweetspotError
from sweetspot.publish import publish
from sweetspot.study import Study
from tests.workflow.project import Project

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose study was measured, with its second stage."""
    project = Project(tmp_path_factory.mktemp("whole"))
    project.study |= {"launches": "auto", "equality_rounds": 1}
    project.save()
    answer = project.snakemake("all")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return project.folder


@pytest.fixture
def folder(measured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy to work in, without what Snakemake knows."""
    shutil.copytree(measured, tmp_path / "copy", ignore=shutil.ignore_patterns(".snakemake"))
    monkeypatch.chdir(tmp_path / "copy")
    return Path("results", "small")


def cut(path: Path) -> None:
    """Leave the first half of a file, up to a value that seems to go on."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2].rstrip(b" \n}],"))


def edit(path: Path, change: Callable[[dict], object]) -> None:  # type: ignore[type-arg]
    """Change a file of JSON, or of YAML."""
    data = yaml.safe_load(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def edit_study(**values: object) -> Callable[[Path], None]:
    """Change the study after it was measured."""
    return lambda folder: edit(Path("config.yaml"), lambda study: study.update(values))


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "not finished": (lambda folder: (folder / "complete.json").unlink(), "no complete.json"),
    "another seed": (edit_study(seed=7), "plan/plan.json: not the plan of config.yaml"),
    "more rounds": (edit_study(rounds=2), "plan/plan.json: not the plan of config.yaml"),
    "another proof": (edit_study(equality_rounds=2), "plan/recheck.json: not the plan of config.yaml"),
    "another draft": (
        lambda folder: edit(Path("models/draft/config.json"), lambda config: config.update(hidden_size=8)),
        "record.json: models ",
    ),
    "no record": (
        lambda folder: (folder / "run/oneload-again.default/0/record.json").unlink(),
        "run/oneload-again.default/0/record.json: No such file",
    ),
    "half a record": (lambda folder: cut(folder / "run/none.default/0/record.json"), "truncated after"),
    "half a plan": (
        lambda folder: cut(folder / "plan/final.json"),
        "expected JSON; delete it, and snakemake makes",
    ),
    "half the cycles": (lambda folder: cut(folder / "run/none.default/0/cycles.jsonl.gz"), "cycles.jsonl.gz"),
    "a failure": (
        lambda folder: edit(
            folder / "run/none.default/0/outcome.json",
            lambda outcome: outcome.update(failure={"message": "made up", "last_words": []}),
        ),
        "1 of 3 launches failed (none.default/0: made up)",
    ),
    "a pass too few": (
        lambda folder: edit(folder / "run/none.default/0/record.json", lambda r: r["passes"].pop()),
        "run/none.default/0/record.json: no pass",
    ),
    "no probe": (lambda folder: (folder / "probe/default/probe.json").unlink(), "probe.json: No such file"),
    "another kind of answer": (
        lambda folder: edit(folder / "equality.json", lambda found: found.update(holds=False)),
        "plan/final.json: not the plan of config.yaml",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_not_whole_is_refused(folder: Path, fault: str) -> None:
    """Incomplete, failed, damaged, or of another study than its file says: one line, no copy."""
    spoil, line = FAULTS[fault]
    spoil(folder)

    with pytest.raises(SweetspotError) as error:
        publish(Study.load(Path("config.yaml")))

    assert line in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert not Path("results", "published").exists()


def test_what_an_earlier_second_stage_left_is_not_published(folder: Path) -> None:
    """A study without one is published as it is now, whatever plans lie there still."""
    edit_study(equality_rounds=0)(folder)

    place = publish(Study.load(Path("config.yaml")))

    assert not (place / "recheck.json").exists()
    assert {path.name for path in (place / "run").iterdir()} == {"oneload.default"}


def test_a_whole_one_is_published(folder: Path) -> None:
    """With the records of both stages."""
    place = publish(Study.load(Path("config.yaml")))

    assert {path.name for path in (place / "run").iterdir()} == {
        *("oneload.default", "oneload-again.default", "none.default", "s2.default")
    }
