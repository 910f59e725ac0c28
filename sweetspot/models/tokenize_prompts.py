"""Turns a study's prompts into token ids with the target's own tokenizer. Runs under an engine's Python.

    python -m sweetspot.models.tokenize_prompts --prompts FILE --sha256 HEX --model DIR --out FILE

writes one `{"id": ..., "input_ids": [...]}` a line, in the order of the prompts. Every variant is then sent
the same ids, and the server tokenizes nothing.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from jinja2 import TemplateError

from sweetspot.errors import ModelError
from sweetspot.models import prompts
from sweetspot.models.prompts import Prompt


def tokenize(tokenizer: Any, prompt: Prompt, thinking: bool | None) -> list[int]:  # noqa: ANN401
    """Return the token ids of *prompt*.

    Text is tokenized as the server would, with the special tokens that the tokenizer adds. Messages are
    rendered by the chat template, up to where the assistant speaks; it brings its own special tokens.

    Args:
        tokenizer: The target's.
        prompt: Ids are passed on.
        thinking: What the template is told, as `enable_thinking` and as `thinking`, since templates differ in
            the name; None to leave it to the template.

    Raises:
        ModelError: If a template is missing or has no such switch, or an id is not the tokenizer's.
    """
    if thinking is not None and prompt.kind != "messages":
        raise ModelError(
            f"prompt {prompt.id}: {prompt.kind}, expected messages; set prompts.thinking to null"
        )
    if prompt.kind == "text":
        ids: list[int] = tokenizer.encode(prompt.content)
    elif prompt.kind == "messages":
        ids = tokenizer.encode(_render(tokenizer, prompt, thinking), add_special_tokens=False)
    else:
        ids = prompt.content
    outside = [token for token in ids if token >= len(tokenizer)]
    if outside:
        raise ModelError(
            f"prompt {prompt.id}: token {outside[0]}, expected ids below {len(tokenizer)}; "
            f"are the prompts of another model?"
        )
    if not ids:
        raise ModelError(f"prompt {prompt.id}: no token, expected at least one; give it content")
    if (
        prompt.kind != "input_ids"
        and tokenizer.unk_token_id in ids
        and set(ids) <= {*tokenizer.all_special_ids}
    ):
        raise ModelError(
            f"prompt {prompt.id}: no word that the tokenizer knows, expected some (a constructed pair's are "
            f"t3, t4 and so on); write such, or give input_ids"
        )
    return ids


def _render(tokenizer: Any, prompt: Prompt, thinking: bool | None) -> str:  # noqa: ANN401
    if tokenizer.chat_template is None:
        raise ModelError(
            f"prompt {prompt.id}: messages, but the model has no chat template, expected one; "
            f"set prompts.chat_template to a file"
        )

    def rendered(**switches: bool) -> str:
        try:
            text: str = tokenizer.apply_chat_template(
                prompt.content, tokenize=False, add_generation_prompt=True, **switches
            )
        except TemplateError as error:
            raise ModelError(
                f"prompt {prompt.id}: {error}, expected the chat template to render it; correct one"
            ) from None
        return text

    if thinking is None:
        return rendered()
    by_switch = {value: rendered(enable_thinking=value, thinking=value) for value in (True, False)}
    if by_switch[True] == by_switch[False]:
        raise ModelError(
            f"prompt {prompt.id}: the chat template has no switch for thinking, expected one since "
            f"prompts.thinking is {json.dumps(thinking)}; set it to null"
        )
    return by_switch[thinking]


def main() -> int:
    """Tokenize what the command line asks for, and return the exit status."""
    from transformers import AutoTokenizer

    parser = argparse.ArgumentParser(
        prog="python -m sweetspot.models.tokenize_prompts", description="Turn prompts into token ids."
    )
    parser.add_argument("--prompts", type=Path, required=True)
    parser.add_argument("--sha256", required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--chat-template", type=Path)
    parser.add_argument("--thinking", type=json.loads)
    parser.add_argument("--trust-remote-code", action="store_true")
    arguments = parser.parse_args()
    try:
        read = prompts.read(arguments.prompts, arguments.sha256)
        tokenizer = AutoTokenizer.from_pretrained(
            arguments.model, trust_remote_code=arguments.trust_remote_code, local_files_only=True
        )
        if arguments.chat_template is not None:
            tokenizer.chat_template = prompts.read_template(arguments.chat_template).decode()
        lines = [
            json.dumps({"id": prompt.id, "input_ids": tokenize(tokenizer, prompt, arguments.thinking)})
            for prompt in read
        ]
    except ModelError as error:
        print(error, file=sys.stderr)
        return 2
    arguments.out.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
