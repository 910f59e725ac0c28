"""The probe on real SGLang: a server without weights, its draft included, answers and tells its messages."""

import json
from pathlib import Path

import pytest

from sweetspot import asked
from sweetspot.engine import base
from sweetspot.models.prepare import find
from sweetspot.run.probe import probe
from sweetspot.study import Study
from tests.engines import cpu_python
from tests.workflow.project import ROOT

pytestmark = pytest.mark.engine


def test_a_server_needs_no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Speculation at the largest step count, on dummy weights for target and draft."""
    python = cpu_python()
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("sweetspot.run.lock.PLACE", tmp_path / "host.lock")
    study = Study.load(Path("config.yaml"))
    if study.engine != "engine-cpu":
        pytest.skip("the default study runs on a GPU here")
    find(study.values["models"], python)
    # there is no NCCL on a CPU; the server is to start all the same
    wanted = asked.of_probe(study, "default") | {"skip": None}

    probe(
        wanted,
        base.sglang("engine-cpu", python),
        study.folders,
        study.values["limits"],
        tmp_path / "probe.json",
    )

    record = json.loads((tmp_path / "probe.json").read_text())
    assert (record["status"], record["reason"]) == ("complete", None)
    assert record["server"]["resolved"]["load_format"] == "dummy"
    assert [message["draft_tokens"] for message in record["messages"]] == [1, 2, 3, 4, 6]
    assert record["messages"][-1]["bytes"] == 6 * 4 * record["target"]["hidden_size"]
