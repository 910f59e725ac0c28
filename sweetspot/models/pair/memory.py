"""Estimates the memory that a pair needs on each GPU, and compares it with what is there. Pure."""

import math
from collections.abc import Mapping
from typing import Any

from sweetspot.errors import ModelError
from sweetspot.models.pair.checkpoint import Checkpoint
from sweetspot.models.pair.shapes import is_mla

GIB = 1 << 30
# ASSUME: CUDA's own context, its libraries, NCCL's buffers and the captured graphs of one rank, as SGLang
# leaves free beside its pool on a large GPU.
OVERHEAD_BYTES = 6 * GIB
_KV_BYTES = 2  # ASSUME: of a number in the cache: bfloat16, if no kv-cache-dtype says otherwise


def needed(target: Checkpoint, draft: Checkpoint, tp_size: int, tokens: int) -> dict[str, int]:
    """Return the bytes that each rank needs, by what they are for.

    Args:
        target: The target.
        draft: Its draft, of which every rank holds its part, too.
        tp_size: Ranks.
        tokens: Of prompts and outputs that are in flight at once.
    """
    return {
        "weights": -(-(target.weight_bytes + draft.weight_bytes) // tp_size),
        "cache": tokens * (_per_token(target, tp_size) + _per_token(draft, tp_size)),
        "graphs": OVERHEAD_BYTES,
    }


def check_memory(
    bytes_by_use: Mapping[str, int], gpus: list[dict[str, Any]], tp_size: int, fraction: float | None = None
) -> str:
    """Return the estimate in words.

    Args:
        bytes_by_use: As `needed` returns them.
        gpus: The host's, each with `memory_mib`.
        tp_size: Ranks.
        fraction: Of a GPU's memory that SGLang keeps for weights and cache, None if it chooses itself.

    Raises:
        ModelError: If a GPU that is used has less, or keeps less for weights and cache.
    """
    total = sum(bytes_by_use.values())
    words = " + ".join(f"{use} {count / GIB:.1f}" for use, count in bytes_by_use.items())
    known = [gpu["memory_mib"] for gpu in gpus[:tp_size] if gpu["memory_mib"]]
    if not known:
        return f"about {total / GIB:.1f} GiB a GPU ({words}), with no GPU here to compare"
    least = min(known) * (1 << 20)
    if total > least:
        raise ModelError(
            f"memory: about {total / GIB:.1f} GiB a GPU ({words}), expected at most {least / GIB:.1f}, the "
            f"smallest GPU's; raise tp_size, or take larger GPUs or smaller weights"
        )
    pool = bytes_by_use["weights"] + bytes_by_use["cache"]
    if fraction is not None and pool > fraction * least:
        enough = math.ceil(100 * pool / least) / 100
        raise ModelError(
            f"mem-fraction-static: {fraction:g}, expected {enough} or more for weights and cache ({words}, "
            f"of {least / GIB:.1f} GiB); raise it, take larger GPUs or raise tp_size"
        )
    return f"about {total / GIB:.1f} of {least / GIB:.1f} GiB a GPU ({words})"


def _per_token(model: Checkpoint, tp_size: int) -> int:
    """Return the bytes of one token in the cache of one rank."""
    layers, text = model.size("num_hidden_layers"), model.text
    if is_mla(model):  # every rank keeps the whole latent
        return layers * (model.size("kv_lora_rank") + model.size("qk_rope_head_dim")) * _KV_BYTES
    heads = model.size("num_attention_heads")
    width = text.get("head_dim") or model.size("hidden_size") // heads
    pairs = max((text.get("num_key_value_heads") or heads) // tp_size, 1)
    return int(layers * 2 * pairs * width * _KV_BYTES)
