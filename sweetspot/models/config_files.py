"""Writes what lies beside the weights of a constructed pair: its config, and a tokenizer of whole words."""

import json
from pathlib import Path
from typing import Any

from sweetspot.models.spec import Shape, Spec

MAX_POSITIONS = 4096
SPECIAL = {"bos": (0, "<s>"), "eos": (1, "</s>"), "unk": (2, "<unk>")}  # as many as orbit.SPECIAL_TOKENS
_SPECIAL_WORDS = dict(SPECIAL.values())
# Messages one after the other: what comes next continues the last word of the last one.
CHAT_TEMPLATE = "{% for message in messages %}{{ message['content'] }} {% endfor %}"


def word(token: int) -> str:
    """Return what *token* is in text: `t17` is token 17."""
    return _SPECIAL_WORDS.get(token, f"t{token}")


def write(pair: Spec, role: str, folder: Path) -> None:
    """Write all files but the weights into *folder*.

    Args:
        pair: What is constructed.
        role: `target` or `draft`.
        folder: It exists.
    """
    shape = pair.shape
    files = {
        "config.json": _config(shape, role) | (_eagle_config(pair.layers) if role == "draft" else {}),
        "tokenizer.json": _tokenizer(shape.vocab),
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            **{f"{kind}_token": content for kind, (_, content) in SPECIAL.items()},
            "model_max_length": MAX_POSITIONS,
            "chat_template": CHAT_TEMPLATE,
        },
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content, indent=1) + "\n")


def _config(shape: Shape, role: str) -> dict[str, Any]:
    """Return what a Llama of this role is built from."""
    if role == "draft":  # its values pass an embedding through, so none is shared between heads
        own = {**_blocks("LlamaForCausalLMEagle3", 1, shape.heads), "draft_vocab_size": shape.vocab}
    else:
        own = _blocks("LlamaForCausalLM", shape.layers, shape.kv_heads)
    widths = {
        "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate,
        "num_attention_heads": shape.heads,
        "head_dim": shape.hidden // shape.heads,
        "vocab_size": shape.vocab,
    }
    positions = {"max_position_embeddings": MAX_POSITIONS, "rope_theta": 10000.0}
    absent = dict.fromkeys(("attention_bias", "mlp_bias", "tie_word_embeddings"), False)
    ids = {f"{kind}_token_id": SPECIAL[kind][0] for kind in ("bos", "eos")}
    dtypes = dict.fromkeys(("torch_dtype", "dtype"), "bfloat16")  # the older name, and the newer
    llama = {"model_type": "llama", "hidden_act": "silu"}
    return {**own, **llama, **widths, "rms_norm_eps": 1e-5, **positions, **absent, **ids, **dtypes}


def _eagle_config(layers: tuple[int, ...]) -> dict[str, Any]:
    """Return which layers' outputs the draft asks for, nothing if any will do."""
    if not layers:
        return {}
    ids = [layer - 1 for layer in layers]
    return {"eagle_config": {"use_aux_hidden_state": True, "eagle_aux_hidden_state_layer_ids": ids}}


def _blocks(architecture: str, layers: int, kv_heads: int) -> dict[str, Any]:
    return {
        "architectures": [architecture],
        "num_hidden_layers": layers,
        "num_key_value_heads": kv_heads,
    }


def _tokenizer(vocab: int) -> dict[str, Any]:
    """Return a tokenizer that splits at white space and knows every word: one token each."""
    model = {
        "type": "WordLevel",
        "vocab": {word(token): token for token in range(vocab)},
        "unk_token": SPECIAL["unk"][1],
    }
    return {
        "version": "1.0",
        **dict.fromkeys(("truncation", "padding"), None),
        "added_tokens": [_added(token, content) for token, content in SPECIAL.values()],
        "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        **dict.fromkeys(("post_processor", "decoder"), None),
        "model": model,
    }


def _added(token: int, content: str) -> dict[str, Any]:
    """Return a special token that is found as it stands."""
    as_it_stands = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
    return {"id": token, "content": content, **as_it_stands, "special": True}
