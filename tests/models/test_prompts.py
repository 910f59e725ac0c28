"""Tests of `sweetspot/models/prompts.py`, and of the prompts of the default study."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from sweetspot.errors import ModelError
from sweetspot.models.prompts import Prompt, read
from sweetspot.models.spec import spec

QUICKSTART = Path(__file__).parents[2] / "studies" / "prompts" / "quickstart.jsonl"


def _file(folder: Path, *lines: str) -> tuple[Path, str]:
    content = "".join(f"{line}\n" for line in lines).encode()
    (folder / "prompts.jsonl").write_bytes(content)
    return folder / "prompts.jsonl", hashlib.sha256(content).hexdigest()


class TestRead:
    """Tests of `read`."""

    def test_reads_each_kind_in_order(self, tmp_path: Path) -> None:
        """Text, messages and token ids come back as they stand in the file."""
        path, sha256 = _file(
            tmp_path,
            '{"id": "b", "text": "one\u2028line"}',
            '{"id": "a", "messages": [{"role": "user", "content": "hi"}]}',
            '{"id": "c", "input_ids": [0, 5]}',
        )

        prompts = read(path, sha256)

        assert prompts == [
            Prompt("b", "text", "one\u2028line"),
            Prompt("a", "messages", [{"role": "user", "content": "hi"}]),
            Prompt("c", "input_ids", [0, 5]),
        ]

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("", "Expecting value: line 1 column 1 (char 0), expected a JSON object"),
            (r'{"id": "x", "text": "\ud83d"}', "'utf-8' codec can't encode character '\\ud83d' in position"),
            (r'{"id": "\ud83d", "input_ids": [1]}', "'utf-8' codec can't encode character '\\ud83d'"),
            ("[1]", "no id, expected an object with an id that is a string"),
            ('{"text": "x"}', "no id, expected an object with an id that is a string"),
            ('{"id": 3, "text": "x"}', "no id, expected an object with an id that is a string"),
            ('{"id": "x"}', "nothing beside the id, expected one of text, messages, input_ids"),
            ('{"id": "x", "text": "a", "input_ids": [1]}', "input_ids, text beside the id, expected one of"),
            ('{"id": "x", "prompt": "a"}', "prompt beside the id, expected one of"),
            ('{"id": "x", "text": ""}', "text malformed or empty, expected a string"),
            ('{"id": "x", "input_ids": []}', "input_ids malformed or empty, expected a list of token ids"),
            ('{"id": "x", "input_ids": [-1]}', "input_ids malformed or empty"),
            ('{"id": "x", "input_ids": [true]}', "input_ids malformed or empty"),
            (
                '{"id": "x", "messages": []}',
                "messages malformed or empty, expected a list of {role, content}",
            ),
            ('{"id": "x", "messages": [{"role": "user"}]}', "messages malformed or empty"),
            ('{"id": "x", "messages": [{"role": "me", "content": "a"}]}', "messages malformed or empty"),
            ('{"id": "x", "messages": [{"role": "user", "content": ""}]}', "messages malformed or empty"),
            ('{"id": "ok", "text": "again"}', "id 'ok' a second time, expected each once"),
        ],
    )
    def test_a_malformed_line_is_named(self, tmp_path: Path, line: str, message: str) -> None:
        """The error says the line's number, what is wrong, and what was expected, in one line."""
        path, sha256 = _file(tmp_path, '{"id": "ok", "text": "a"}', line)

        with pytest.raises(ModelError, match=re.escape(f"prompts.jsonl:2: {message}")) as error:
            read(path, sha256)
        assert "\n" not in str(error.value)

    def test_another_file_is_refused(self, tmp_path: Path) -> None:
        """The study is of the prompts with this digest and no others."""
        path, sha256 = _file(tmp_path, '{"id": "ok", "text": "a"}')

        with pytest.raises(ModelError, match=f"sha256 {sha256}, expected {'0' * 64}; change prompts.sha256"):
            read(path, "0" * 64)

    def test_an_empty_file_is_refused(self, tmp_path: Path) -> None:
        """Without a prompt there is nothing to time."""
        path, sha256 = _file(tmp_path)

        with pytest.raises(ModelError, match="empty, expected at least one prompt"):
            read(path, sha256)

    def test_a_missing_file_is_refused(self, tmp_path: Path) -> None:
        """The error says which key of the study to correct."""
        with pytest.raises(ModelError, match="No such file or directory, expected prompts; correct"):
            read(tmp_path / "none.jsonl", "")


def test_quickstart_covers_every_kind_and_spreads_over_the_orbit() -> None:
    """Four prompts of 32 to 64 tokens, whose 128 new tokens come from four different parts of the orbit."""
    orbit = spec({"shape": "tiny", "acceptance": [0.75], "seed": 0}).orbit()
    prompts = read(QUICKSTART, hashlib.sha256(QUICKSTART.read_bytes()).hexdigest())
    tokens = [json.dumps(prompt.content).replace('"', " ") for prompt in prompts]
    words = [[int(word) for word in re.findall(r"\bt?(\d+)\b", text)] for text in tokens]

    starts = sorted(orbit.tokens.index(prompt[-1]) for prompt in words)

    assert {prompt.kind for prompt in prompts} == {"text", "messages", "input_ids"}
    assert all(32 <= len(prompt) <= 64 for prompt in words)
    gaps = [b - a for a, b in zip(starts, [*starts[1:], starts[0] + len(orbit.tokens)], strict=True)]
    assert min(gaps) > 128 + 64
