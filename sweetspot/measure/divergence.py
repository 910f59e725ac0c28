"""Where two outputs part, and how close the baseline was to taking the other way. Pure, no frames."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweetspot.errors import MeasureError
from sweetspot.measure.chunks import AGAIN, Ints, unpack_numbers


@dataclass(frozen=True)
class Reference:
    """A baseline's answer to one prompt, with its best candidates for each token."""

    output: Ints  # token ids, shape (tokens,)
    top_ids: Ints  # shape (tokens, top_k), best first
    top_nats: NDArray[np.float64]  # log probabilities, shape (tokens, top_k)


@dataclass(frozen=True)
class Divergence:
    """The first difference between an output and the baseline's."""

    first_divergence: int  # index of the token
    gap_nats: float | None  # below the baseline's best; None if the baseline never weighed that token
    near_tie: bool
    reason: str


def unpack_reference(entry: Mapping[str, Any], outputs: Mapping[str, str], where: str) -> Reference:
    """Return one entry of a record's `reference`.

    Raises:
        RecordError: If a list can't be unpacked.
        MeasureError: If it has not *top_k* candidates for each token.
    """
    output = unpack_numbers(outputs[entry["output"]], where)
    top_ids = unpack_numbers(entry["top_ids"], where)
    top_nats = unpack_numbers(entry["top_logprobs_e4"], where) / 1e4
    shape = (output.size, entry["top_k"])
    if not top_ids.size == top_nats.size == shape[0] * shape[1]:
        raise MeasureError(
            f"{where}, prompt {entry['prompt']}: {top_ids.size} candidates with {top_nats.size} log "
            f"probabilities in its reference, expected {shape[0]} x {shape[1]}; {AGAIN}"
        )
    return Reference(output, top_ids.reshape(shape), top_nats.reshape(shape))


def diverge(
    output: Ints, expected: Ints, references: Iterable[Reference], near_tie_nats: float
) -> Divergence | None:
    """Return the first difference between *output* and *expected*, or None if they are equal.

    Args:
        output: Token ids. Shape (tokens,).
        expected: The baseline's token ids for the same prompt. Shape (its tokens,).
        references: Further answers of the baseline to that prompt, with log probabilities.
        near_tie_nats: Largest gap of a near-tie; at 0 nothing is one.
    """
    shared = min(output.size, expected.size)
    differs = (output[:shared] != expected[:shared]).nonzero()[0]
    if not differs.size and output.size == expected.size:
        return None
    at = int(differs[0]) if differs.size else shared
    gap, reason = _gap_nats(output, at, references)
    if gap is None:
        return Divergence(at, None, False, reason)
    near_tie = near_tie_nats > 0 and gap <= near_tie_nats
    return Divergence(at, gap, near_tie, f"{gap:.4f} nats below the baseline's best, allowed {near_tie_nats}")


def _gap_nats(output: Ints, at: int, references: Iterable[Reference]) -> tuple[float | None, str]:
    """Return how far token *at* of *output* was below the baseline's best; or None, and why not known.

    Only an answer with the same tokens before *at* can say; of several, the smallest gap counts.
    """
    if at >= output.size:
        return None, "ends before the baseline does"
    gaps, reason = [], "no reference pass has the same tokens before it"
    for reference in references:
        if reference.output.size <= at or (reference.output[:at] != output[:at]).any():
            continue
        found = (reference.top_ids[at] == output[at]).nonzero()[0]
        if found.size:
            gaps.append(float(reference.top_nats[at].max() - reference.top_nats[at, found[0]]))
        else:
            reason = f"not among the baseline's best {reference.top_ids.shape[1]}"
    return (min(gaps), "") if gaps else (None, reason)
