"""Which hidden states of a target SGLang hands to an EAGLE-3 draft, by target, version and listed ids. Pure.

What is captured is the input of a layer: 0 is the embedding, i the output of layer i - 1. Drafts list ids
under two conventions, and SGLang changed which of them it follows: most targets take an id for the layer
whose output is meant; DeepSeek's family does up to 0.5.12, and from 0.5.13 on takes it for the layer whose
input is meant, unless the first one is 1. Read in the wheels from 0.5.9 to 0.5.23; a newer one is taken to
behave like the last.
"""

from collections.abc import Sequence

from sweetspot.plan.versions import Version

Layers = tuple[int, ...]

DEEPSEEK = frozenset(
    {
        *("DeepseekV2ForCausalLM", "DeepseekV3ForCausalLM", "DeepseekV32ForCausalLM"),
        *("GlmMoeDsaForCausalLM", "Glm4MoeLiteForCausalLM", "MistralLarge3ForCausalLM"),
        "KimiK25ForConditionalGeneration",
    }
)
OTHERS = frozenset(
    {
        *("ApertusForCausalLM", "BailingMoEForCausalLM", "BailingMoeForCausalLM", "BailingMoeV2ForCausalLM"),
        *("Cosmos3ForConditionalGeneration", "ExaoneMoEForCausalLM", "ExaoneMoeForCausalLM"),
        *("Gemma3ForCausalLM", "Gemma3ForConditionalGeneration", "Gemma4ForCausalLM"),
        *("Gemma4ForConditionalGeneration", "Gemma4UnifiedForConditionalGeneration", "Glm4MoeForCausalLM"),
        *("Glm5NextForConditionalGeneration", "GptOssForCausalLM", "IQuestCoderForCausalLM"),
        *("InternLM3ForCausalLM", "InternS1ProForConditionalGeneration", "Llama4ForCausalLM"),
        *("Llama4ForConditionalGeneration", "LlamaForCausalLM", "LongcatFlashForCausalLM"),
        *("MellumForCausalLM", "MiniMaxM2ForCausalLM", "MiniMaxM3SparseForCausalLM"),
        *("MiniMaxM3SparseForConditionalGeneration", "Ministral3ForCausalLM", "MistralForCausalLM"),
        *("Phi3ForCausalLM", "Qwen2ForCausalLM", "Qwen2MoeForCausalLM", "Qwen2_5_VLForConditionalGeneration"),
        *("Qwen3ForCausalLM", "Qwen3MoeForCausalLM", "Qwen3NextForCausalLM"),
        *("Qwen3VLForConditionalGeneration", "Qwen3VLMoeForConditionalGeneration"),
        *("SarvamMoEForCausalLM", "TeleFLMForCausalLM"),
    }
)
KNOWN = DEEPSEEK | OTHERS  # targets that SGLang 0.5.23 can capture from

FIRST: dict[str, Version] = {
    "KimiK25ForConditionalGeneration": (0, 5, 10),
    "Glm4MoeLiteForCausalLM": (0, 5, 13),
}

_INPUTS: Version = (0, 5, 13)  # DeepSeek's family: an id is the layer whose input is meant
_GPT_OSS_LAST: Version = (0, 5, 17)  # ids that name the last output are taken as they stand
_MINIMAX_DEFAULT: Version = (0, 5, 18)  # its unlisted layers are outputs, too


def captured(target: str, layers: int, ids: Sequence[int] | None, at: Version) -> Layers:
    """Return whose inputs are captured, in the order in which the draft gets them.

    Args:
        target: Its architecture, one of `KNOWN`.
        layers: How many the target has.
        ids: `eagle_aux_hidden_state_layer_ids` of the draft, None if it lists none.
        at: SGLang's version.
    """
    if ids is None:
        chosen = [2, layers // 2, layers - 3]
        if target == "MiniMaxM3SparseForConditionalGeneration" and at >= _MINIMAX_DEFAULT:
            chosen = [layer + 1 for layer in chosen]
    else:
        chosen = [layer + _offset(target, layers, ids, at) for layer in ids]
    # the target passes its layers in order, and meets none outside
    return tuple(layer for layer in range(_end(target, layers, at)) if layer in chosen)


def ids_for(target: str, layers: int, wanted: Layers, at: Version) -> list[int] | None:
    """Return ids by which SGLang captures *wanted*, None if no ids do: `captured` turned round."""
    outputs = [layer - 1 for layer in wanted]
    # inputs backwards, too: one that is listed first and happens to be 1 would be taken for an output
    for ids in (list(wanted), outputs, list(wanted)[::-1]):
        if captured(target, layers, ids, at) == wanted:
            return ids
    return None


def _offset(target: str, layers: int, ids: Sequence[int], at: Version) -> int:
    """Return what SGLang adds to each of *ids*."""
    if target in DEEPSEEK and at >= _INPUTS:
        return int(list(ids[:1]) == [1])
    if target == "GptOssForCausalLM" and at >= _GPT_OSS_LAST:
        return int(max(ids, default=0) != layers)
    return 1


def _end(target: str, layers: int, at: Version) -> int:
    """Return the first layer that can't be captured: gpt-oss hands out its last output, too."""
    return layers + (target == "GptOssForCausalLM" and at >= _GPT_OSS_LAST)
