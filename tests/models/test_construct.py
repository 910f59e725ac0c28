"""Tests of `sweetspot/models/construct.py` and what it writes, under the engine's Python."""

import hashlib
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from sweetspot.models.identity import identity
from tests.engines import cpu_python

ROOT = Path(__file__).parents[2]
SPEC = {"shape": "tiny", "acceptance": [0.62, 0.40, 0.30], "seed": 1}
KILLED_BEFORE_THE_DRAFT = """
import json, os, signal, sys
from pathlib import Path
from sweetspot.models import safetensors_file
from sweetspot.models.construct import construct
from sweetspot.models.spec import spec

def killed(*arguments):
    if arguments[-1].parent.name == "draft":
        os.kill(os.getpid(), signal.SIGKILL)
    write(*arguments)

write, safetensors_file.write = safetensors_file.write, killed
construct(spec(json.loads(sys.argv[1])), Path(sys.argv[2]))
"""

pytestmark = pytest.mark.engine


def _run(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the engine's Python, with the project importable and nothing of the workflow's."""
    python = cpu_python()
    return subprocess.run(
        [python, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )


def _construct(out: Path, seed: int = 1) -> subprocess.CompletedProcess[str]:
    return _run(
        "-m", "sweetspot.models.construct", "--out", out, "--spec", json.dumps({**SPEC, "seed": seed})
    )


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _some_weights(pair: Path) -> bytes:
    """Return the embedding of token 5 in the target, whose embedding comes first."""
    content = (pair / "target" / "model.safetensors").read_bytes()
    header_bytes = int.from_bytes(content[:8], "little")
    assert header_bytes % 8 == 0, "tensors have to be aligned"
    return content[8 + header_bytes :][5 * 128 : 6 * 128]


def test_the_draft_is_right_where_it_was_planned(tmp_path: Path) -> None:
    """Run by hand, the target says its orbit and the draft is wrong exactly at the marks."""
    made = _construct(tmp_path / "pair")
    assert made.returncode == 0, made.stderr

    checked = _run(Path(__file__).parent / "check_pair.py", tmp_path / "pair", json.dumps(SPEC))

    assert checked.returncode == 0, checked.stderr


def test_files_are_complete_and_a_spec_has_its_bytes(tmp_path: Path) -> None:
    """Both models can be told apart, are small, and are the same again for the same spec only."""
    for name, seed in (("pair", 1), ("again", 1), ("other", 2)):
        made = _construct(tmp_path / name, seed)
        assert made.returncode == 0, made.stderr

    target, draft = (identity(tmp_path / "pair" / role) for role in ("target", "draft"))

    expected = {"config.json", "tokenizer.json", "tokenizer_config.json"}
    assert target["files"].keys() == draft["files"].keys() == expected
    assert target["weights"]["model.safetensors"]["size_bytes"] < 1_000_000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "other", "pair"]
    assert _digests(tmp_path / "pair") == _digests(tmp_path / "again")
    assert identity(tmp_path / "pair" / "target") != identity(tmp_path / "other" / "target")
    assert _some_weights(tmp_path / "pair") != _some_weights(tmp_path / "other")


def test_a_killed_construction_leaves_nothing_that_looks_whole(tmp_path: Path) -> None:
    """The folder appears when it is complete; the next construction clears what was left beside it."""
    killed = _run("-c", KILLED_BEFORE_THE_DRAFT, json.dumps(SPEC), tmp_path / "pair")

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["pair.partial"]
    assert _construct(tmp_path / "pair").returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["pair"]


def test_what_cannot_be_constructed_is_one_line_and_status_2(tmp_path: Path) -> None:
    """A folder that exists is left as it is."""
    (tmp_path / "pair").mkdir()

    refused = _construct(tmp_path / "pair")

    assert refused.returncode == 2
    assert refused.stderr == (
        f"{tmp_path}/pair: exists, expected a new folder; remove it to construct the models again\n"
    )


def test_prompts_of_the_default_study_are_tokenized(tmp_path: Path) -> None:
    """Words, messages and ids come out as the ids that they stand for, in order."""
    prompts = ROOT / "studies" / "prompts" / "quickstart.jsonl"
    digest = hashlib.sha256(prompts.read_bytes()).hexdigest()
    assert _construct(tmp_path / "pair").returncode == 0

    tokenized = _run(
        *("-m", "sweetspot.models.tokenize_prompts", "--prompts", prompts, "--sha256", digest),
        *("--model", tmp_path / "pair" / "target", "--out", tmp_path / "ids.jsonl", "--thinking", "null"),
    )

    assert tokenized.returncode == 0, tokenized.stderr
    read = [json.loads(line) for line in prompts.read_text().splitlines()]
    lines = [json.loads(line) for line in (tmp_path / "ids.jsonl").read_text().splitlines()]
    assert [line["id"] for line in lines] == [prompt["id"] for prompt in read]
    by_id = {line["id"]: line["input_ids"] for line in lines}
    for prompt in read:
        texts = [prompt.get("text", "")] + [message["content"] for message in prompt.get("messages", [])]
        words = [int(word.removeprefix("t")) for text in texts for word in text.split()]
        assert by_id[prompt["id"]] == (prompt.get("input_ids") or words)
