"""Tests of `sweetspot.models.pair.shapes`: architectures, sizes and heads."""

import re
from pathlib import Path
from typing import Any

import pytest

from sweetspot.errors import ModelError
from sweetspot.models.pair.shapes import check_algorithm, check_heads, check_sizes
from tests.models.pair.made import HIDDEN, LLAMA, draft, kimi, write


@pytest.mark.parametrize(
    ("architecture", "algorithm", "sglang", "line"),
    [
        ("LlamaForCausalLMEagle3", "EAGLE", "0.5.16", "expected EAGLE3, since SGLang would accept none"),
        (
            "LlamaForCausalLMEagle",
            "EAGLE3",
            "0.5.16",
            "expected a draft that is one of LlamaForCausalLMEagle3",
        ),
        (
            *("Eagle3DeepseekV2ForCausalLM", "EAGLE3", "0.5.10.post1"),
            "on SGLang 0.5.10.post1, expected 0.5.12 or newer, the first that can load it",
        ),
    ],
)
def test_another_kind_of_draft(
    tmp_path: Path, architecture: str, algorithm: str, sglang: str, line: str
) -> None:
    """A draft under the wrong algorithm, or too new for the engine, is told before it is loaded."""
    made = draft(tmp_path, architectures=[architecture])
    at = tuple(map(int, sglang.split(".")[:3]))

    with pytest.raises(ModelError, match=re.escape(line)):
        check_algorithm(made, algorithm, sglang, (at[0], at[1], at[2]))


def test_the_right_kind_of_draft(tmp_path: Path) -> None:
    """What fits is said."""
    assert check_algorithm(draft(tmp_path), "EAGLE3", "0.5.16", (0, 5, 16)) == (
        "EAGLE3 with LlamaForCausalLMEagle3"
    )


def test_sizes_that_fit(tmp_path: Path) -> None:
    """What target and draft share is said."""
    said = check_sizes(kimi(tmp_path / "target"), draft(tmp_path / "draft"), 3)

    assert said == "hidden size 7168, 3 hidden states, 64 of 163840 tokens"


WRONG_SIZES: dict[str, tuple[dict[str, Any], str]] = {
    "hidden states of another target": (
        {"target_hidden_size": 4096},
        "hidden states of 4096, expected 7168, the target's hidden_size",
    ),
    "another vocabulary": ({"vocab_size": 163842}, "vocab_size 163842, expected 163840, the target's"),
    "made for four hidden states": (
        {"shapes": {"fc.weight": (HIDDEN, 4 * HIDDEN)}},
        "fc.weight shape [7168, 28672], expected [7168, 21504] (out, in)",
    ),
    "a head of another vocabulary": (
        {"shapes": {"lm_head.weight": (32000, HIDDEN)}},
        "lm_head.weight shape [32000, 7168], expected [64, 7168]",
    ),
    "an embedding that it can't share": (
        {
            "hidden_size": 2048,
            "target_hidden_size": HIDDEN,
            "shapes": {"fc.weight": (2048, 3 * HIDDEN), "lm_head.weight": (64, 2048)},
        },
        "embed_tokens.weight missing, expected [163840, 2048]",
    ),
    "no size": ({"hidden_size": None}, "hidden_size None, expected a whole number"),
}


@pytest.mark.parametrize(("fault", "line"), WRONG_SIZES.values(), ids=WRONG_SIZES.keys())
def test_a_draft_for_another_target(tmp_path: Path, fault: dict[str, Any], line: str) -> None:
    """Every size that differs is named, with the one expected."""
    made = draft(tmp_path / "draft", **fault)

    with pytest.raises(ModelError, match=re.escape(line)):
        check_sizes(kimi(tmp_path / "target"), made, 3)


def test_heads_on_ranks(tmp_path: Path) -> None:
    """Kimi's 64 heads spread over 8 ranks, not over 6."""
    target = kimi(tmp_path)

    assert check_heads(target, 8) == "64 heads on 8 ranks, each with the whole latent"
    with pytest.raises(ModelError, match=r"^tp_size: 6, expected a divisor of the 64 attention heads of "):
        check_heads(target, 6)


def test_key_value_heads_on_ranks(tmp_path: Path) -> None:
    """Three pairs can be neither spread over two ranks nor repeated on them."""
    target = write(tmp_path, LLAMA | {"num_attention_heads": 6, "num_key_value_heads": 3}, {})

    with pytest.raises(ModelError, match=r"^tp_size: 2, expected a divisor or a multiple of the 3 key-value"):
        check_heads(target, 2)
