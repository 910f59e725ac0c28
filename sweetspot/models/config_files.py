"""Writes what lies beside the weights of a constructed pair: its config, and a tokenizer of whole words."""

import json
from pathlib import Path
from typing import Any

from sweetspot.models.orbit import SPECIAL_TOKENS
from sweetspot.models.spec import Shape

MAX_POSITIONS = 4096
SPECIAL = ("<s>", "</s>", "<unk>")
# Messages one after the other: what comes next continues the last word of the last one.
CHAT_TEMPLATE = "{% for message in messages %}{{ message['content'] }} {% endfor %}"


def word(token: int) -> str:
    """Return what *token* is in text: `t17` is token 17."""
    return SPECIAL[token] if token < SPECIAL_TOKENS else f"t{token}"


def write(shape: Shape, role: str, folder: Path) -> None:
    """Write all files but the weights into *folder*.

    Args:
        shape: Sizes of the target.
        role: `target` or `draft`.
        folder: It exists.
    """
    files = {
        "config.json": _config(shape, role),
        "tokenizer.json": _tokenizer(shape.vocab),
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            **{f"{kind}_token": token for kind, token in zip(("bos", "eos", "unk"), SPECIAL, strict=True)},
            "model_max_length": MAX_POSITIONS,
            "chat_template": CHAT_TEMPLATE,
        },
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=1) + "\n")


def _config(shape: Shape, role: str) -> dict[str, Any]:
    by_role: dict[str, dict[str, Any]] = {
        "target": {
            "architectures": ["LlamaForCausalLM"],
            "num_hidden_layers": shape.layers,
            "num_key_value_heads": shape.kv_heads,
        },
        "draft": {
            "architectures": ["LlamaForCausalLMEagle3"],
            "num_hidden_layers": 1,
            "num_key_value_heads": shape.heads,  # its values pass an embedding through
            "draft_vocab_size": shape.vocab,
        },
    }
    return {
        **by_role[role],
        "model_type": "llama",
        "hidden_act": "silu",
        "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate,
        "num_attention_heads": shape.heads,
        "head_dim": shape.hidden // shape.heads,
        "vocab_size": shape.vocab,
        "rms_norm_eps": 1e-5,
        "max_position_embeddings": MAX_POSITIONS,
        "rope_theta": 10000.0,
        "attention_bias": False,
        "mlp_bias": False,
        "tie_word_embeddings": False,
        "bos_token_id": 0,
        "eos_token_id": 1,
        "torch_dtype": "bfloat16",
        "dtype": "bfloat16",
    }


def _tokenizer(vocab: int) -> dict[str, Any]:
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": token, "content": content, **flags, "special": True}
            for token, content in enumerate(SPECIAL)
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word(token): token for token in range(vocab)},
            "unk_token": SPECIAL[2],
        },
    }
