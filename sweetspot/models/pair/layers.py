"""Compares the hidden states that SGLang will capture with those that the draft was trained on. Pure."""

from collections.abc import Sequence

from sweetspot.errors import ModelError
from sweetspot.models.pair.checkpoint import Checkpoint
from sweetspot.plan.capture import FIRST, KNOWN, Layers, captured, ids_for
from sweetspot.plan.versions import Version, dotted

KEY = "eagle_aux_hidden_state_layer_ids"
_BEFORE_THE_CHANGE: Version = (0, 5, 12)  # what ids mean to DeepSeek's family changed after it
_AFTER_THE_CHANGE: Version = (0, 5, 13)


def check_layers(
    target: Checkpoint, draft: Checkpoint, trained_on: Sequence[int] | None, sglang: str, at: Version
) -> str:
    """Return which layers' inputs will be captured, in words.

    Args:
        target: The target.
        draft: Its EAGLE-3 draft.
        trained_on: Layers whose inputs the draft was trained on, as the study says; None if it does not.
        sglang: SGLang's version, and `at` its first three numbers.
        at: See `sglang`.

    Raises:
        ModelError: If it is not what the draft was trained on, or can't be known, with the ids to list.
    """
    name, layers, ids = target.architecture, target.size("num_hidden_layers"), _ids(draft)
    if name not in KNOWN:
        return f"{name}: unknown here, so the layers that SGLang captures were not computed"
    first = FIRST.get(name, at)
    if at < first:
        raise ModelError(
            f"{name}: SGLang {sglang} can't capture its hidden states, expected "
            f"{dotted(first)} or newer; take a newer engine"
        )
    found = captured(name, layers, ids, at)
    place, listed = f"{draft.folder}/config.json", "none" if ids is None else str(ids)
    said = f"{place}: {KEY} {listed}, by which SGLang {sglang} captures the inputs of layers {_list(found)}"
    trained = tuple(sorted(trained_on)) if trained_on is not None else _said_by(draft)
    if trained is not None:
        if found == trained:
            return f"captures the inputs of layers {_list(found)}, on which the draft was trained"
        raise ModelError(
            f"{said}, expected {_list(trained)}, on which it was trained; "
            + _fix(ids_for(name, layers, trained, at), _then(name, layers, ids, trained))
        )
    if ids is not None and len(found) != len(ids):
        raise ModelError(
            f"{said}, expected {len(ids)} layers from 0 to {layers - 1}; correct the ids, and say in "
            f"models.draft.trained_on which layers' inputs they are to be"
        )
    if 0 in found:
        raise ModelError(
            f"{said}, expected no 0, the embedding, on which drafts are not trained; list the ids of its "
            f"training, or write [{_list(found)}] into models.draft.trained_on if it was"
        )
    before, after = (captured(name, layers, ids, v) for v in (_BEFORE_THE_CHANGE, _AFTER_THE_CHANGE))
    if before != after:
        raise ModelError(
            f"{said} ({_list(before)} up to 0.5.12, {_list(after)} from 0.5.13 on), expected to know which "
            f"of them it was trained on; write that into models.draft.trained_on"
        )
    return f"captures the inputs of layers {_list(found)}; nothing says on which the draft was trained"


def _ids(draft: Checkpoint) -> list[int] | None:
    """Return the ids that SGLang reads; without an `eagle_config` it takes layers of its own choice."""
    section = draft.config.get("eagle_config") or {}
    listed = section.get(KEY)
    return None if listed is None else list(listed)


def _said_by(draft: Checkpoint) -> Layers | None:
    """Return the layers in a config of vLLM's form, which SGLang does not read: there an id is an input's."""
    listed = draft.config.get(KEY)
    return None if listed is None else tuple(sorted(listed))


def _then(name: str, layers: int, ids: list[int] | None, trained: Layers) -> str:
    """Return a half sentence about the version for which *ids* were right, if there is one."""
    if captured(name, layers, ids, _BEFORE_THE_CHANGE) == trained:
        return ", since what they mean to this target changed with 0.5.13"
    if captured(name, layers, ids, _AFTER_THE_CHANGE) == trained:
        return ", since up to 0.5.12 this target takes them for the layers whose output is meant"
    return ""


def _fix(ids: list[int] | None, why: str) -> str:
    if ids is None:
        return "correct models.draft.trained_on, which names layers that this target does not have"
    return f"set them to {ids} in its eagle_config{why}"


def _list(layers: Sequence[int]) -> str:
    return ", ".join(map(str, layers)) or "none"
