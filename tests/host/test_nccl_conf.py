"""Tests of `sweetspot.host.nccl_conf`: NCCL's files are read as NCCL reads them."""

from pathlib import Path

import pytest

from sweetspot.host.nccl_conf import FILES, nccl_conf


def test_of_the_users_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Comments are skipped, the first of a name counts, and the file is named without its user."""
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".nccl.conf").write_text("# NCCL_ALGO=Tree\nNCCL_PROTO=LL\nNCCL_PROTO=Simple\nnonsense\n")

    assert nccl_conf()["~/.nccl.conf"] == {"NCCL_PROTO": "LL"}


def test_of_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that is not there is not listed."""
    monkeypatch.setenv("HOME", str(tmp_path))

    assert "~/.nccl.conf" not in nccl_conf()
    assert FILES[1] == "~/.nccl.conf"
