"""Says from the short run before a sweep whether the draft is worth it. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from sweetspot.analyse.faults import DEAD_DRAFT
from sweetspot.errors import ModelError
from sweetspot.measure.acceptance import accept_length
from sweetspot.measure.meta_info import read_counts

_CAUSES = (
    "most likely it is handed the hidden states of other layers than in its training (preflight/ says "
    "which), it was made for another target or another chat template, or its d2t is damaged"
)
_DIAL = (
    "its acceptance is a dial, so raise models.constructed.acceptance, or the engine drafts with something "
    "else than this pair's weights"
)
_TOO_GOOD = (
    "most likely the answers repeat themselves, the prompts are others than the curve's, or the curve is of "
    "another draft"
)


def judge_smoke(record: Mapping[str, Any], band: Sequence[float] | None) -> dict[str, Any]:
    """Return what the short run found: `accept_length` (bonus token included), `cycles` and `num_steps`.

    Args:
        record: Of the short run, which did not fail.
        band: The lowest and the highest accept_length that is plausible there, None if nobody knows.

    Raises:
        ModelError: If the draft is dead, or its accept_length outside the band; with the likely causes.
    """
    counts, tokens = [], 0
    for request in record["passes"][0]["requests"]:
        found = read_counts(request["meta"], f"smoke: prompt {request['prompt']}")
        if found is not None:
            counts.append(found.verify_ct)
            tokens += request["completion_tokens"] - 1
    length = accept_length(tokens, sum(counts))
    check_band(length, band, bool(record["models"]["constructed"]))
    return {
        "accept_length": length,
        "cycles": sum(counts),
        "num_steps": next(iter(record["identity"]["steps"].values())),
    }


def check_band(length: float, band: Sequence[float] | None, constructed: bool) -> None:
    """Raise if *length* is a dead draft's, or outside the *band* that the study gives.

    Raises:
        ModelError: With what is most likely wrong.
    """
    causes = _DIAL if constructed else _CAUSES
    said = f"the short run before the sweep: accept_length {length:.2f}"
    if length <= DEAD_DRAFT:
        raise ModelError(f"{said}, expected above {DEAD_DRAFT}, below which a draft is dead; {causes}")
    if band and not band[0] <= length <= band[1]:
        raise ModelError(
            f"{said}, expected {band[0]:g} to {band[1]:g} by smoke.accept_length; "
            f"{causes if length < band[0] else _TOO_GOOD}"
        )
