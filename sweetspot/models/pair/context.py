"""Compares the context length of the servers with the one that each model was made for. Pure."""

from collections.abc import Sequence

from sweetspot.errors import ModelError
from sweetspot.models.pair.checkpoint import Checkpoint
from sweetspot.plan import Launch
from sweetspot.plan.rewrites import is_true

FLAG = "context-length"
ALLOWANCE = "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN"
# the first that a config has, as SGLang reads them
_KEYS = ("max_sequence_length", "seq_length", "max_seq_len", "model_max_length", "max_position_embeddings")


def check_context(target: Checkpoint, draft: Checkpoint, launches: Sequence[Launch]) -> str:
    """Return for how many tokens target and draft were made.

    A draft has to serve the target's context length, and SGLang looks only once the target is loaded.

    Args:
        target: The target.
        draft: Its draft.
        launches: Of the study, each with its arguments and environment.

    Raises:
        ModelError: If a server is to serve more tokens than one of its models was made for.
    """
    made_for = {"target": _longest(target), "draft": _longest(draft)}
    for launch in launches:
        asked = str(launch.args.get(FLAG, made_for["target"]))
        if not asked.isdecimal() or is_true(launch.env.get(ALLOWANCE, "false")):
            continue
        roles = {"target": target} | ({"draft": draft} if "speculative-algorithm" in launch.args else {})
        for role, model in roles.items():
            longest = made_for[role]
            if longest is not None and int(asked) > longest:
                by = "" if FLAG in launch.args else " by the target"
                raise ModelError(
                    f"{launch.id}: {FLAG} {asked}{by}, expected at most {longest}, for which "
                    f"{model.folder}/config.json says the {role} was made; set a lower {FLAG}, or "
                    f"{ALLOWANCE} to 1 in the engine's env if it can do more"
                )
    return f"made for {_words(made_for['target'])} and {_words(made_for['draft'])} tokens, target and draft"


def _words(tokens: int | None) -> str:
    return "unknown" if tokens is None else str(tokens)


def _longest(model: Checkpoint) -> int | None:
    """Return the tokens of context that *model* was made for, None if its config leaves that to its class."""
    found = next((model.text[key] for key in _KEYS if model.text.get(key) is not None), None)
    scaling = model.text.get("rope_scaling") or {}
    scaled = "original_max_position_embeddings" in scaling or scaling.get("rope_type") == "llama3"
    return None if found is None else int(found * (1 if scaled else scaling.get("factor") or 1))
