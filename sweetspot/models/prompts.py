"""Reads the prompts of a study: one JSON object a line, an id beside a text, messages or input_ids."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweetspot.errors import ModelError

KINDS = ("text", "messages", "input_ids")
ROLES = ("system", "user", "assistant", "tool")


@dataclass(frozen=True)
class Prompt:
    """One prompt, in the one way that its file gives it."""

    id: str
    kind: str  # one of KINDS
    content: Any  # a string, a list of {role, content}, or a list of token ids


def read(path: Path, sha256: str) -> list[Prompt]:
    """Return the prompts in *path*, in its order.

    Args:
        path: JSON lines.
        sha256: The file's digest, as the study has it.

    Raises:
        ModelError: If the file is missing or another one, has no prompt, or holds one that is malformed.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(
            f"{path}: {error.strerror}, expected prompts; correct prompts.file in the study"
        ) from None
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ModelError(
            f"{path}: sha256 {found}, expected {sha256}; "
            f"change prompts.sha256 if the prompts were changed on purpose"
        )
    if not content.strip():
        raise ModelError(f"{path}: empty, expected at least one prompt; add one a line")
    prompts: dict[str, Prompt] = {}
    for number, line in enumerate(content.removesuffix(b"\n").split(b"\n"), start=1):
        where = f"{path}:{number}"
        prompt = _prompt(line, where)
        if prompt.id in prompts:
            raise ModelError(f"{where}: id {prompt.id!r} a second time, expected each once; rename it")
        prompts[prompt.id] = prompt
    return list(prompts.values())


def describe(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the prompts of a study are, once they were found right.

    Args:
        section: The study's `prompts`.

    Returns:
        `sha256` of the file, `chat_template` (sha256 of the study's own, or null) and `thinking`.

    Raises:
        ModelError: As `read`, or if the chat template can't be read.
    """
    read(Path(section["file"]), section["sha256"])
    template = section["chat_template"]
    digest = template and hashlib.sha256(read_template(Path(template))).hexdigest()
    return {"sha256": section["sha256"], "chat_template": digest, "thinking": section["thinking"]}


def read_template(path: Path) -> bytes:
    """Return the chat template in *path*.

    Raises:
        ModelError: If it can't be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(
            f"{path}: {error.strerror}, expected a chat template; correct prompts.chat_template"
        ) from None


def _prompt(line: bytes, where: str) -> Prompt:
    try:
        fields = json.loads(line)
        json.dumps(fields, ensure_ascii=False).encode()  # half an emoji is no text to tokenizers and tables
    except ValueError as error:
        raise ModelError(f"{where}: {error}, expected a JSON object; correct the line") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("id"), str) or not fields["id"]:
        raise ModelError(f"{where}: no id, expected an object with an id that is a string; add it")
    kinds = sorted(fields.keys() - {"id"})
    if len(kinds) != 1 or kinds[0] not in KINDS:
        raise ModelError(
            f"{where}: {', '.join(kinds) or 'nothing'} beside the id, expected one of {', '.join(KINDS)}; "
            f"give the prompt once"
        )
    [kind] = kinds
    if not _CHECKS[kind](fields[kind]):
        raise ModelError(f"{where}: {kind} malformed or empty, expected {_EXPECTED[kind]}; correct it")
    return Prompt(fields["id"], kind, fields[kind])


def _is_text(content: object) -> bool:
    return isinstance(content, str) and bool(content)


def _is_messages(content: object) -> bool:
    return (
        isinstance(content, list)
        and bool(content)
        and all(
            isinstance(message, dict)
            and message.keys() == {"role", "content"}
            and message["role"] in ROLES
            and _is_text(message["content"])
            for message in content
        )
    )


def _is_input_ids(content: object) -> bool:
    return (
        isinstance(content, list)
        and bool(content)
        and all(type(token) is int and token >= 0 for token in content)
    )


_CHECKS = {"text": _is_text, "messages": _is_messages, "input_ids": _is_input_ids}
_EXPECTED = {
    "text": "a string",
    "messages": f"a list of {{role, content}}, each a string, the role one of {', '.join(ROLES)}",
    "input_ids": "a list of token ids from 0 up",
}
