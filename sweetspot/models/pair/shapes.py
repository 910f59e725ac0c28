"""Compares the architecture and the sizes of a draft with its target, its algorithm and its SGLang. Pure."""

from sweetspot.errors import ModelError
from sweetspot.models.pair.checkpoint import Checkpoint
from sweetspot.plan.versions import Version, dotted

# EAGLE-3 heads that SGLang can load, and the first version that can
HEADS: dict[str, Version] = {
    "LlamaForCausalLMEagle3": (0, 5, 9),
    "Eagle3DeepseekV2ForCausalLM": (0, 5, 12),
}


def check_algorithm(draft: Checkpoint, algorithm: str, sglang: str, at: Version) -> str:
    """Return which draft serves which algorithm.

    Raises:
        ModelError: If the algorithm is for another kind of draft (which accepts nothing and says nothing), or
            this SGLang can't load it.
    """
    name, place = draft.architecture, f"{draft.folder}/config.json"
    if (name in HEADS) != (algorithm == "EAGLE3"):
        right = "EAGLE3" if name in HEADS else f"a draft that is one of {', '.join(HEADS)}"
        what = "write EAGLE3" if name in HEADS else "take one, or convert it"
        raise ModelError(
            f"speculation.algorithm: {algorithm} with {name} ({place}), expected {right}, since SGLang would "
            f"accept none of its tokens and say nothing; {what}"
        )
    if at < HEADS.get(name, at):
        raise ModelError(
            f"{place}: {name} on SGLang {sglang}, expected {dotted(HEADS[name])} or newer, the "
            f"first that can load it; take a newer engine"
        )
    return f"{algorithm} with {name}"


def check_sizes(target: Checkpoint, draft: Checkpoint, captured: int) -> str:
    """Return the sizes that target and draft share.

    Args:
        target: The target.
        draft: Its EAGLE-3 draft.
        captured: How many hidden states the draft is handed.

    Raises:
        ModelError: If a size differs from what the target hands to the draft.
    """
    place, hidden, own = f"{draft.folder}/config.json", target.size("hidden_size"), draft.size("hidden_size")
    taken = draft.text.get("target_hidden_size") or own
    if taken != hidden:
        raise ModelError(
            f"{place}: hidden states of {taken}, expected {hidden}, the target's hidden_size; "
            f"take a draft that was made for this target"
        )
    if draft.size("vocab_size") != target.size("vocab_size"):
        raise ModelError(
            f"{place}: vocab_size {draft.size('vocab_size')}, expected {target.size('vocab_size')}, the "
            f"target's; take a draft that was made for this target"
        )
    if not draft.tensors:
        return f"hidden size {hidden}; its weights are not in safetensors, so no shape was compared"
    drafted = draft.text.get("draft_vocab_size") or target.size("vocab_size")
    shapes = {"fc.weight": (own, captured * hidden), "lm_head.weight": (drafted, own)}
    if own != hidden:  # then it can't share the target's
        shapes["embed_tokens.weight"] = (draft.size("vocab_size"), own)
    for name, shape in shapes.items():
        _check_shape(
            draft, name, shape, optional=name == "lm_head.weight" and drafted == target.size("vocab_size")
        )
    return f"hidden size {hidden}, {captured} hidden states, {drafted} of {target.size('vocab_size')} tokens"


def _check_shape(draft: Checkpoint, name: str, shape: tuple[int, ...], optional: bool) -> None:
    found = next((draft.tensors[key] for key in (name, f"model.{name}") if key in draft.tensors), None)
    if found is None and optional:
        return
    if found is None or found.shape != shape:
        has = "missing" if found is None else f"shape {list(found.shape)}"
        raise ModelError(
            f"{draft.folder}: {name} {has}, expected {list(shape)} (out, in) by its config and its target; "
            f"take a draft that was made for this target, with the config that it came with"
        )


def check_heads(model: Checkpoint, tp_size: int) -> str:
    """Return how the heads are spread over the ranks.

    Raises:
        ModelError: If they can't be.
    """
    place, heads = f"{model.folder}/config.json", model.size("num_attention_heads")
    if heads % tp_size:
        raise ModelError(
            f"tp_size: {tp_size}, expected a divisor of the {heads} attention heads of {place}; change it"
        )
    if is_mla(model):
        return f"{heads} heads on {tp_size} ranks, each with the whole latent"
    pairs = model.text.get("num_key_value_heads") or heads
    if max(pairs, tp_size) % min(pairs, tp_size):
        raise ModelError(
            f"tp_size: {tp_size}, expected a divisor or a multiple of the {pairs} key-value heads of "
            f"{place}; change it"
        )
    return f"{heads} heads, {pairs} for keys and values, on {tp_size} ranks"


def is_mla(model: Checkpoint) -> bool:
    """Return whether it keeps one latent for all heads instead of keys and values."""
    return bool(model.text.get("kv_lora_rank"))
