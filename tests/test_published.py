"""Tests of `sweetspot.published`: what a plan asks for is copied, and no more."""

import json
from pathlib import Path

import pytest

from sweetspot.published import copy, published_records, published_studies


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A complete study of one launch in two rounds, and a record that is no longer of its plan."""
    monkeypatch.chdir(tmp_path)
    measured = Path("results", "mine")
    for run in ("none.default/0", "none.default/1", "s9.default/0"):
        (measured / "run" / run).mkdir(parents=True)
        (measured / "run" / run / "record.json").write_text(run)
    (measured / "plan").mkdir()
    plan = {"launches": [{"id": "none.default"}], "rounds": 2, "variants": [{"nccl": "default"}]}
    for stage in ("probe", "allreduce"):
        for nccl in ("default", "dropped"):
            (measured / stage / nccl).mkdir(parents=True)
    (measured / "plan" / "plan.json").write_text(json.dumps(plan))
    (measured / "host.json").write_text("{}")
    Path("mine.yaml").write_text("name: mine\n")
    return measured


def test_what_is_published_is_found(study: Path) -> None:
    """The records of the plan are copied, and no others."""
    place = copy(Path("mine.yaml"), study, proved=False)

    assert published_studies() == ["mine"]
    assert [path.read_text() for path in published_records(place / "plan.json")] == [
        "none.default/0",
        "none.default/1",
    ]
    assert [path.name for path in place.glob("probe/*")] == ["default"]
    assert [path.name for path in place.glob("allreduce/*")] == ["default"]
    assert not (place / "run" / "s9.default").exists()
    assert (place / "study.yaml").read_text() == "name: mine\n"


def test_an_earlier_one_is_replaced(study: Path) -> None:
    """Nothing of it is left beside the new one."""
    stale = copy(Path("mine.yaml"), study, proved=False) / "stale"
    stale.touch()

    copy(Path("mine.yaml"), study, proved=False)

    assert not stale.exists()
