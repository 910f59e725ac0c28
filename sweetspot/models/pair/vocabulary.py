"""Checks how a draft's tokens are turned into the target's: its maps d2t and t2d. Reads these two tensors."""

from sweetspot.errors import ModelError
from sweetspot.models.pair.checkpoint import Checkpoint

_AGAIN = "download it again, or ask its maker"


def check_vocabulary(target: Checkpoint, draft: Checkpoint) -> str:
    """Return how many of the target's tokens the draft can say.

    `d2t[i]` is what is added to the draft's token i to make it the target's; `t2d[j]` says whether the draft
    has the target's token j.

    Raises:
        ModelError: If a map is missing, of the wrong size, or sends tokens where they can't belong.
    """
    vocab = target.size("vocab_size")
    drafted = draft.text.get("draft_vocab_size") or vocab
    if not draft.tensors:
        return "its weights are not in safetensors, so its vocabulary was not checked"
    if drafted > vocab:
        raise ModelError(
            f"{draft.folder}/config.json: draft_vocab_size {drafted}, expected at most {vocab}; {_AGAIN}"
        )
    if "d2t" not in draft.tensors:
        if drafted < vocab:
            raise ModelError(
                f"{draft.folder}: no d2t, expected one for {drafted} of {vocab} tokens, or SGLang takes the "
                f"draft's ids for the target's; {_AGAIN}"
            )
        return f"all {vocab} tokens, under the target's ids"
    said = _said(draft, vocab, drafted)
    if "t2d" in draft.tensors:
        _check_back(draft, said, vocab)
    return f"{drafted} of {vocab} tokens"


def _said(draft: Checkpoint, vocab: int, drafted: int) -> set[int]:
    """Return the target's ids of the draft's tokens."""
    shifts = _numbers(draft, "d2t", drafted)
    if drafted < vocab and not any(shifts):
        raise ModelError(
            f"{draft.folder}: d2t all zero, expected the ids of {drafted} chosen tokens of {vocab}, not the "
            f"first ones; {_AGAIN}"
        )
    said = [token + shift for token, shift in enumerate(shifts)]
    outside = next((token for token in said if not 0 <= token < vocab), None)
    if outside is not None:
        raise ModelError(f"{draft.folder}: d2t leads to token {outside}, expected 0 to {vocab - 1}; {_AGAIN}")
    if len(set(said)) != drafted:
        raise ModelError(
            f"{draft.folder}: d2t leads to {len(set(said))} tokens, expected {drafted} different ones; "
            f"{_AGAIN}"
        )
    return set(said)


def _check_back(draft: Checkpoint, said: set[int], vocab: int) -> None:
    has = {token for token, flag in enumerate(_numbers(draft, "t2d", vocab)) if flag}
    if has != said:
        raise ModelError(
            f"{draft.folder}: t2d marks {len(has)} tokens of which d2t leads to {len(has & said)}, expected "
            f"the same {len(said)} in both; {_AGAIN}"
        )


def _numbers(draft: Checkpoint, name: str, size: int) -> list[int]:
    found = draft.tensors[name]
    kinds = ("BOOL",) if name == "t2d" else ("I64", "I32")
    if found.shape != (size,) or found.dtype not in kinds:
        raise ModelError(
            f"{draft.folder}: {name} {found.dtype} {list(found.shape)}, expected {kinds[0]} [{size}]; "
            f"{_AGAIN}"
        )
    return draft.numbers(name)
