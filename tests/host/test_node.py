"""A round stays on the node where it began, and a record tells nodes apart without naming them."""

import json
from pathlib import Path

import pytest

from sweetspot.errors import RunError
from sweetspot.host import node
from sweetspot.host.facts import facts


@pytest.fixture
def bound(tmp_path: Path) -> Path:
    """The file of a round that began on this machine."""
    path = tmp_path / "0.json"
    path.write_text(json.dumps({"name": node.name(), "label": node.label(node.name())}))
    return path


def test_slurms_name_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside a job a machine is what SLURM calls it, which is what SLURM can be asked for."""
    monkeypatch.setenv("SLURMD_NODENAME", "gpu7")

    assert node.name() == "gpu7"


def test_a_label_is_stable_and_names_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same node has the same label in every record; other nodes have others; the name is nowhere."""
    labels = {name: node.label(name) for name in ("gpu0", "gpu1", "login")}
    monkeypatch.setenv("SLURMD_NODENAME", "gpu1")

    host = facts()

    assert host["node"] == labels["gpu1"]
    assert len(set(labels.values())) == 3
    assert "gpu1" not in json.dumps(host)


class TestCheck:
    """Tests of `check`."""

    def test_the_node_of_the_round(self, bound: Path) -> None:
        """Where the round began it goes on, and where nothing is bound anything goes."""
        node.check(bound, "a host", node.ANY)
        node.check(bound.with_name("1.json"), "a host", "a host")

    def test_another_node(self, bound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """No GPU time is spent on a launch that nothing could be compared with."""
        monkeypatch.setenv("SLURMD_NODENAME", "another")

        with pytest.raises(RunError, match=r"this is another, expected .*, where the round began.*; go on"):
            node.check(bound, "a host", node.ANY)

    def test_another_kind_of_host(self, bound: Path) -> None:
        """What the profile names is what measures."""
        with pytest.raises(RunError, match="host: 8 x A100, expected 8 x H200 as the profile names it"):
            node.check(bound, "8 x A100", "8 x H200")
