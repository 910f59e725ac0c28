"""Tests of `sweetspot.plan.json_file`: a damaged file is named, with the way out."""

from pathlib import Path

import pytest

from sweetspot.errors import RecordError
from sweetspot.plan.json_file import read_json


def test_what_was_written_is_read(tmp_path: Path) -> None:
    """Any JSON, in UTF-8."""
    file = tmp_path / "x.json"
    file.write_text('{"ü": [1]}', encoding="utf-8")

    assert read_json(file) == {"ü": [1]}


@pytest.mark.parametrize("content", [b"", b'{"a": [1, ', b"\xff"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    """What a full disk cut short is one line that says how to get it back."""
    file = tmp_path / "x.json"
    file.write_bytes(content)

    with pytest.raises(RecordError, match=rf"^{file}: [^\n]+, expected JSON; delete it, and snakemake"):
        read_json(file)


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    """So is one that is not there, or a folder."""
    with pytest.raises(RecordError, match=r"expected a file of the study; let snakemake make it$"):
        read_json(tmp_path / name)
