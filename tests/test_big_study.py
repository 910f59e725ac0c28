"""The tool that times a large study runs on a small one."""

from pathlib import Path

import pytest

from tests import big_study


@pytest.mark.workflow
def test_every_verb_is_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """A small one goes from its records to the report, with both figures for each verb and for all."""
    sizes = {"NCCL_VARIANTS": 2, "STEPS": 2, "ROUNDS": 2, "REQUESTS": 3, "TOKENS": 16}
    for name, value in sizes.items():
        monkeypatch.setattr(big_study, name, value)

    big_study.main(tmp_path)

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [
        *("measure", "summarise", "nccl", "verdict", "command", "table", "figures", "report", "all")
    ]
    assert all(" CPU s" in line and line.endswith(" MiB") for line in lines)
    assert len(list(tmp_path.rglob("record.json"))) == 2 * 3 * 2
    assert "s2.v1" in (tmp_path / "table.md").read_text()
    assert "</html>" in (tmp_path / "report.html").read_text()
