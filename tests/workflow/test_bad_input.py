"""Bad input is one line, from Snakemake itself, before any rule runs."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.workflow.project import Project

pytestmark = pytest.mark.workflow

Study = dict[str, Any]
FAULTS: dict[str, tuple[Callable[[Study], object], str]] = {
    "misspelt key": (
        lambda study: study.update(round=study.pop("rounds")),
        "config.yaml: round: unknown key, expected one of ",
    ),
    "wrong type": (
        lambda study: study.update(rounds="three"),
        "config.yaml: rounds: 'three', expected an integer of at least 1",
    ),
    "empty grid": (
        lambda study: study["speculation"].update(num_steps=[]),
        "config.yaml: speculation: nothing, expected num_steps or trees",
    ),
    "unknown engine": (
        lambda study: study.update(engine="engine-cu99"),
        "config.yaml: engine: 'engine-cu99', expected one of ",
    ),
    "missing target": (
        lambda study: study["models"].update(target={"path": "models/none"}),
        "models/none: no such folder, expected a model",
    ),
    "missing draft": (
        lambda study: study["models"].update(draft={"path": "models/none", "trained_on": None}),
        "models/none: no such folder, expected a model",
    ),
    "hub model that is not downloaded": (
        lambda study: study["models"].update(
            draft={"hub": "org/draft", "revision": "0" * 40, "trained_on": None}
        ),
        "download it with `huggingface-cli download org/draft",
    ),
    "illegal cell": (
        lambda study: study["speculation"].update(
            trees=[{"num_steps": 1, "eagle_topk": 2, "num_draft_tokens": 9}]
        ),
        "s1k2d9: num_draft_tokens 9, expected",
    ),
    "no prompts file": (
        lambda study: study["prompts"].update(file="none.jsonl"),
        "none.jsonl: No such file or directory, expected prompts",
    ),
    "another prompts file": (
        lambda study: study["prompts"].update(sha256="0" * 64),
        f"expected {'0' * 64}; change prompts.sha256 if",
    ),
}


@pytest.mark.parametrize(("spoil", "line"), FAULTS.values(), ids=FAULTS.keys())
def test_one_line_and_nothing_starts(project: Project, spoil: Callable[[Study], object], line: str) -> None:
    """Snakemake ends with the line, and no folder of the study is there."""
    spoil(project.study)
    project.save()

    answer = project.snakemake("all")

    said = [text for text in answer.stderr.splitlines() if not text.startswith("Using workflow")]
    assert answer.returncode != 0
    assert len(said) == 1
    assert line in said[0]
    assert not (project.folder / "results" / "small").exists()


def test_more_in_flight_than_prompts(project: Project) -> None:
    """What only the prompts can tell is said before the first server starts."""
    project.study["loads"] = [1, 4]
    project.save()

    answer = project.snakemake("all")

    assert answer.returncode != 0
    assert "loads: 4, expected at most 3, the number of prompts" in answer.stdout + answer.stderr
    assert not list(project.folder.rglob("record.json"))


def test_a_record_of_an_older_format(project: Project) -> None:
    """A record that this version does not read is refused by name, not misread."""
    project.snakemake("all")
    record = project.record("s2.default")
    record.write_text(record.read_text().replace('"format": 1', '"format": 0'))

    answer = project.snakemake("--forcerun", "measure", "--", "all")

    line = "s2.default/0/record.json: format 0, expected 1; delete it to measure this launch again"
    assert answer.returncode != 0
    assert line in answer.stdout + answer.stderr


def test_values_belong_into_the_study(project: Project) -> None:
    """`--config` names a study and sets no value."""
    answer = project.snakemake("--config", "rounds=5", "--", "all")

    assert "--config: rounds, expected `study=NAME` alone; edit the study file instead" in answer.stderr


def test_another_study(project: Project) -> None:
    """`--config study=NAME` is studies/NAME.yaml, complete and alone."""
    (project.folder / "studies").mkdir()
    (project.folder / "config.yaml").rename(project.folder / "studies" / "small.yaml")

    answer = project.snakemake("--dry-run", "--config", "study=small", "--", "all")

    assert answer.returncode == 0, answer.stderr


def test_a_path_in_place_of_a_name(project: Project) -> None:
    """What a shell completes is a path, and the line has the name to write instead."""
    answer = project.snakemake("--dry-run", "--config", "study=studies/small.yaml", "--", "all")

    line = "--config: study=studies/small.yaml, expected the NAME of studies/NAME.yaml; write study=small\n"
    assert line in answer.stderr


def test_a_study_under_another_studys_name(project: Project) -> None:
    """A copied study file whose name was not changed would write over the results of the first."""
    (project.folder / "studies").mkdir()
    (project.folder / "config.yaml").rename(project.folder / "studies" / "other.yaml")

    answer = project.snakemake("--dry-run", "--config", "study=other", "--", "all")

    assert "studies/other.yaml: name: 'small', expected 'other' like the file" in answer.stderr


def test_two_snakemakes_in_one_folder(project: Project) -> None:
    """The second one ends at once, and the first one's lock ends with it, even if it is killed."""
    first = project.begin("all")
    while not (project.folder / "results" / "small" / "logs").exists():
        time.sleep(0.05)

    second = project.snakemake("all")
    first.kill()
    first.wait()

    assert (
        "results/: another snakemake works on this folder, expected none; wait for it, or stop it"
        in second.stderr
    )
    assert project.snakemake("all").returncode == 0


def test_a_dry_run_needs_no_models(project: Project) -> None:
    """What would be started is told before hundreds of gigabytes are there; a start asks for them."""
    project.study["models"]["target"] = {"hub": "org/target", "revision": "0" * 40}
    project.save()

    planned = project.planned("all")
    started = project.snakemake("all")

    assert planned["run"] == 4
    assert "download it with `huggingface-cli download org/target" in started.stderr
