"""Writes models that have configs and safetensors headers, and of their weights only the maps of tokens."""

import json
from array import array
from pathlib import Path
from typing import Any

from sweetspot.models.pair.checkpoint import Checkpoint, read

VOCAB, DRAFTED, HIDDEN = 163840, 64, 7168
ITEM_BYTES = {"BF16": 2, "I32": 4, "I64": 8, "BOOL": 1}
KIMI: dict[str, Any] = {
    "architectures": ["KimiK25ForConditionalGeneration"],
    "model_type": "kimi_k25",
    "text_config": {
        "architectures": ["DeepseekV3ForCausalLM"],
        "hidden_size": HIDDEN,
        "num_hidden_layers": 61,
        "num_attention_heads": 64,
        "num_key_value_heads": 64,
        "kv_lora_rank": 512,
        "qk_rope_head_dim": 64,
        "vocab_size": VOCAB,
    },
}
LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 64,
    "num_hidden_layers": 8,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 1024,
}
DRAFT: dict[str, Any] = {
    "architectures": ["LlamaForCausalLMEagle3"],
    "hidden_size": HIDDEN,
    "num_hidden_layers": 1,
    "num_attention_heads": 64,
    "num_key_value_heads": 64,
    "head_dim": 128,
    "vocab_size": VOCAB,
    "draft_vocab_size": DRAFTED,
    "eagle_config": {"eagle_aux_hidden_state_layer_ids": [2, 30, 58], "use_aux_hidden_state": True},
}
SAID = [3 * token + 7 for token in range(DRAFTED)]  # the target's ids of the draft's tokens
MARKS = [int(token in SAID) for token in range(VOCAB)]
SHAPES: dict[str, tuple[int, ...]] = {
    "fc.weight": (HIDDEN, 3 * HIDDEN),
    "lm_head.weight": (DRAFTED, HIDDEN),
    "midlayer.mlp.up_proj.weight": (18432, HIDDEN),
}


def kimi(folder: Path, **config: Any) -> Checkpoint:  # noqa: ANN401
    """Return a target of Kimi-K2.5's shape, at 595 GB of weights, of which none is there."""
    return write(folder, KIMI | config, {"model.weights": (1024, 1024, 283_700)})


def draft(
    folder: Path,
    *,
    ids: list[int] | None = None,
    shapes: dict[str, tuple[int, ...]] | None = None,
    d2t: list[int] | None = None,
    t2d: list[int] | None = None,
    **config: Any,  # noqa: ANN401
) -> Checkpoint:
    """Return an EAGLE-3 draft for `kimi`, as it should be but for what is given."""
    if ids is not None:
        config["eagle_config"] = {"eagle_aux_hidden_state_layer_ids": ids}
    maps = {
        "d2t": [target - token for token, target in enumerate(SAID)] if d2t is None else d2t,
        "t2d": MARKS if t2d is None else t2d,
    }
    return write(folder, DRAFT | config, SHAPES | (shapes or {}), maps)


def write(
    folder: Path,
    config: dict[str, Any],
    shapes: dict[str, tuple[int, ...]],
    maps: dict[str, list[int]] | None = None,
) -> Checkpoint:
    """Write a config and a header, with no data but the *maps* (none for an empty list), and read them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config))
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    data = b""
    for name, numbers in (maps or {}).items():
        if numbers:
            part = array("b" if name == "t2d" else "q", numbers).tobytes()
            header[name] = _entry("BOOL" if name == "t2d" else "I64", (len(numbers),), len(data))
            data += part
    end = len(data)
    for name, shape in shapes.items():
        header[name] = _entry("BF16", shape, end)
        end = header[name]["data_offsets"][1]
    text = json.dumps(header).encode()
    with (folder / "model.safetensors").open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)
    return read(folder)


def _entry(dtype: str, shape: tuple[int, ...], start: int) -> dict[str, Any]:
    size = ITEM_BYTES[dtype]
    for length in shape:
        size *= length
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [start, start + size]}
