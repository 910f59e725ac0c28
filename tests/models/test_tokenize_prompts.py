"""Tests of `sweetspot/models/tokenize_prompts.py`."""

from typing import Any

import pytest
from jinja2 import Template

from sweetspot.errors import ModelError
from sweetspot.models.prompts import Prompt
from sweetspot.models.tokenize_prompts import tokenize

PLAIN = "{% for message in messages %}{{ message.content }}{% endfor %}"
THINKS = PLAIN + "{% if add_generation_prompt %}{{ '+' if thinking else '-' }}{% endif %}"
ENABLES = PLAIN + "{{ '+' if enable_thinking is defined and enable_thinking else '-' }}"
REFUSES = "{{ raise_exception('roles must alternate') }}"
MESSAGES = Prompt("p", "messages", [{"role": "user", "content": "ab"}])


class Letters:
    """A tokenizer whose tokens are the bytes of a text, with byte 1 in front; `?` stands for the unknown."""

    all_special_ids = (1, ord("?"))
    unk_token_id = ord("?")

    def __init__(self, chat_template: str | None = None) -> None:
        self.chat_template = chat_template

    def __len__(self) -> int:
        return 128

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        """Return the bytes of *text*."""
        return [1] * add_special_tokens + list(text.encode())

    def apply_chat_template(self, messages: Any, tokenize: bool, **values: Any) -> str:  # noqa: ANN401
        """Return the rendered template, as transformers does."""
        assert not tokenize
        return Template(self.chat_template or "").render(messages=messages, **values)


class TestTokenize:
    """Tests of `tokenize`."""

    def test_text_gets_the_special_tokens_that_a_server_adds(self) -> None:
        """The tokenizer's own beginning of a text is there."""
        assert tokenize(Letters(), Prompt("p", "text", "ab"), None) == [1, 97, 98]

    def test_messages_bring_their_own_special_tokens(self) -> None:
        """Nothing is added to what the template renders."""
        assert tokenize(Letters(PLAIN), MESSAGES, None) == [97, 98]

    @pytest.mark.parametrize("text", ["a?", ""])
    def test_a_text_with_a_word_that_is_known(self, text: str) -> None:
        """One is enough, and no word at all is a beginning."""
        assert tokenize(Letters(), Prompt("p", "text", text), None) == [1, *text.encode()]

    def test_a_text_of_unknown_words_alone(self) -> None:
        """It is refused: a server would be measured on the same token over and over."""
        with pytest.raises(ModelError, match=r"^prompt p: no word that the tokenizer knows, expected some"):
            tokenize(Letters(), Prompt("p", "text", "??"), None)

    def test_ids_are_passed_on(self) -> None:
        """They are the target's already."""
        assert tokenize(Letters(), Prompt("p", "input_ids", [5, 0, 127]), None) == [5, 0, 127]

    @pytest.mark.parametrize("template", [THINKS, ENABLES])
    def test_the_thinking_switch_reaches_the_template_under_either_name(self, template: str) -> None:
        """On, off, and left alone."""
        thoughts = [tokenize(Letters(template), MESSAGES, value)[-1:] for value in (True, False, None)]

        assert thoughts == [[ord("+")], [ord("-")], [ord("-")]]

    @pytest.mark.parametrize(
        ("prompt", "template", "thinking", "message"),
        [
            (MESSAGES, None, None, "prompt p: messages, but the model has no chat template"),
            (
                MESSAGES,
                PLAIN,
                True,
                "prompt p: the chat template has no switch for thinking, expected one since",
            ),
            (
                MESSAGES,
                REFUSES,
                None,
                "prompt p: 'raise_exception' is undefined, expected the chat template to render it",
            ),
            (
                Prompt("p", "text", "a"),
                THINKS,
                False,
                "prompt p: text, expected messages; set prompts.thinking to null",
            ),
            (Prompt("p", "input_ids", [1]), THINKS, True, "prompt p: input_ids, expected messages"),
            (Prompt("p", "input_ids", [1, 128]), None, None, "prompt p: token 128, expected ids below 128"),
            (MESSAGES, "", None, "prompt p: no token, expected at least one"),
        ],
    )
    def test_what_cannot_be_tokenized_is_refused(
        self, prompt: Prompt, template: str | None, thinking: bool | None, message: str
    ) -> None:
        """The error names the prompt and the key of the study that would help."""
        with pytest.raises(ModelError, match=message):
            tokenize(Letters(template), prompt, thinking)
