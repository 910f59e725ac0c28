"""Tests of `sweetspot.plan.json_file`: a damaged file is named, with the way out."""

from pathlib import Path

import pytest

from sweetspot.errors import RecordError
from sweetspot.plan.json_file import read_json, read_json_lines


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


@pytest.mark.parametrize(
    ("content", "found"),
    [("[]", "a JSON list, expected an object"), ('{"b": 1}', "no 'a' in it"), ("[" * 100_000, "nested")],
)
def test_a_file_of_something_else_is_named(tmp_path: Path, content: str, found: str) -> None:
    """What lacks a key that is asked for is another file."""
    file = tmp_path / "x.json"
    file.write_text(content)

    with pytest.raises(RecordError, match=rf"^{file}: {found}[^\n]*; delete it, and snakemake"):
        read_json(file, "b", "a")


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    """Of a file with an object a line, the line that is none."""
    file = tmp_path / "x.jsonl"
    file.write_text('{"a": 1}\n{"a": 2}\n')
    assert read_json_lines(file, "a") == [{"a": 1}, {"a": 2}]
    file.write_text('{"a": 1}\n{"a": \n')

    with pytest.raises(RecordError, match=rf"^{file}, line 2: [^\n]+, expected JSON"):
        read_json_lines(file, "a")
