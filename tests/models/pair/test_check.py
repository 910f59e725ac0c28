"""Tests of `sweetspot.models.pair.check`: the whole of it, on a plan for eight GPUs."""

import re
from pathlib import Path
from typing import Any

import pytest

from sweetspot.errors import ModelError
from sweetspot.models.pair.check import check_pair
from sweetspot.plan import Estimate, Launch, Plan, Workload
from tests.models.pair.made import KIMI, draft, kimi

PROMPTS = [{"id": "p0", "input_ids": [1] * 1536}]
HOST = {"gpus": [{"memory_mib": 96 * 1024}] * 8}
OVERRIDE = '{"eagle_config": {"eagle_aux_hidden_state_layer_ids": [3, 31, 59]}}'


def plan(sglang: str = "0.5.16", engine: str = "engine-cu13", **args: Any) -> Plan:  # noqa: ANN401
    """Return a plan of a baseline and a chain with these server arguments in both."""
    shared = {"tp-size": 8, **{flag.replace("_", "-"): value for flag, value in args.items()}}
    workload = Workload((1, 16), 5, 1, {"max_new_tokens": 512}, "none", 0.0, {"start_s": 1, "stall_s": 1})
    launches = (
        Launch("none.default", "dedicated", "", ("none.default",), shared, {}),
        Launch(
            "s2.default", "dedicated", "", ("s2.default",), shared | {"speculative-algorithm": "EAGLE3"}, {}
        ),
    )
    return Plan("s", engine, sglang, 0, 1, "", 1, (), launches, (), workload, Estimate(2, 1, 0.0))


def folders(tmp_path: Path) -> dict[str, Path]:
    """Return where a target and a draft of Kimi-K2.5's shape were written."""
    kimi(tmp_path / "target")
    draft(tmp_path / "draft")
    return {role: tmp_path / role for role in ("target", "draft")}


def test_what_was_checked(tmp_path: Path) -> None:
    """Each check leaves a line."""
    said = check_pair(plan("0.5.10.post1"), folders(tmp_path), [3, 31, 59], HOST, PROMPTS)

    assert said[:-1] == [
        "EAGLE3 with LlamaForCausalLMEagle3",
        "attention backends suit target and draft",
        "made for unknown and unknown tokens, target and draft",
        "captures the inputs of layers 3, 31, 59, on which the draft was trained",
        "hidden size 7168, 3 hidden states, 64 of 163840 tokens",
        "64 of 163840 tokens",
        "target: 64 heads on 8 ranks, each with the whole latent",
        "draft: 64 heads, 64 for keys and values, on 8 ranks",
    ]
    assert said[-1].startswith("about 77.")


def test_a_draft_that_lists_no_layers(tmp_path: Path) -> None:
    """It gets three hidden states, as SGLang takes them by itself."""
    pair = folders(tmp_path)
    draft(tmp_path / "draft", eagle_config={})

    said = check_pair(plan(), pair, [2, 30, 58], HOST, PROMPTS)

    assert "hidden size 7168, 3 hidden states, 64 of 163840 tokens" in said


def test_a_newer_engine_shifts_the_layers(tmp_path: Path) -> None:
    """The draft that was right on 0.5.10 is refused on 0.5.16, unless the study overrides its ids."""
    pair = folders(tmp_path)

    with pytest.raises(ModelError, match=re.escape("set them to [3, 31, 59] in its eagle_config")):
        check_pair(plan(), pair, [3, 31, 59], HOST, PROMPTS)

    said = check_pair(plan(json_model_override_args=OVERRIDE), pair, [3, 31, 59], HOST, PROMPTS)
    assert "captures the inputs of layers 3, 31, 59, on which the draft was trained" in said


def test_too_small_gpus(tmp_path: Path) -> None:
    """Eight GPUs of 72 GiB are refused by the estimate."""
    with pytest.raises(ModelError, match=r"^memory: about "):
        check_pair(
            plan("0.5.12"), folders(tmp_path), [3, 31, 59], {"gpus": [{"memory_mib": 72 * 1024}] * 8}, PROMPTS
        )


def test_a_backend_for_a_latent_on_a_target_without_one(tmp_path: Path) -> None:
    """An MLA backend can't serve keys and values."""
    pair = folders(tmp_path)
    kimi(tmp_path / "target", text_config=KIMI["text_config"] | {"kv_lora_rank": None})

    with pytest.raises(ModelError, match=r"^none.default: attention-backend flashmla, expected one for Kimi"):
        check_pair(plan("0.5.12", attention_backend="flashmla"), pair, [3, 31, 59], HOST, PROMPTS)


def test_a_backend_for_a_latent_on_a_draft_without_one(tmp_path: Path) -> None:
    """Left to itself a draft gets its target's backend, which dies on it once both are loaded."""
    pair, latent = folders(tmp_path), {"attention_backend": "trtllm_mla"}

    with pytest.raises(ModelError, match=r"^s2.default: attention backend trtllm_mla for the draft too"):
        check_pair(plan("0.5.12", **latent), pair, [3, 31, 59], HOST, PROMPTS)

    own = plan("0.5.12", **latent, speculative_draft_attention_backend="fa3")
    assert check_pair(own, pair, [3, 31, 59], HOST, PROMPTS)[1] == "attention backends suit target and draft"


def test_a_draft_for_fewer_tokens_than_are_served(tmp_path: Path) -> None:
    """The context length is among what is checked."""
    pair = folders(tmp_path)
    draft(tmp_path / "draft", max_position_embeddings=2048)

    with pytest.raises(ModelError, match=r"^s2.default: context-length 8192, expected at most 2048"):
        check_pair(plan("0.5.12", context_length=8192), pair, [3, 31, 59], HOST, PROMPTS)


def test_an_override_that_is_no_json(tmp_path: Path) -> None:
    """The study's own mistake is told as such."""
    with pytest.raises(ModelError, match=r"^json-model-override-args: \{ids, expected a JSON object"):
        check_pair(plan(json_model_override_args="{ids"), folders(tmp_path), None, HOST, PROMPTS)


def test_a_damaged_config(tmp_path: Path) -> None:
    """A config that is cut short is named."""
    pair = folders(tmp_path)
    (tmp_path / "draft" / "config.json").write_text('{"architectures": [')

    with pytest.raises(ModelError, match=r"draft/config.json: not a JSON object, expected a config"):
        check_pair(plan(), pair, None, HOST, PROMPTS)
