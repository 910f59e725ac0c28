"""What became of the drafts.

Whoever asks about several requests, passes or rounds adds up their counts and asks about the sum: a mean of
ratios would give a short answer the weight of a long one. Pure.
"""

import numpy as np
from numpy.typing import NDArray

from sweetspot.errors import MeasureError

Ints = NDArray[np.int64]


def accept_length(decode_tokens: int, verify_ct: int) -> float:
    """Return the tokens that a cycle yielded for one request, the bonus token included.

    Args:
        decode_tokens: Tokens after the one that prefill gave.
        verify_ct: Cycles that gave them.

    Raises:
        MeasureError: If there was no cycle.
    """
    if verify_ct <= 0:
        raise MeasureError(
            f"{decode_tokens} tokens in no cycle, expected one at least; see that the server speculates"
        )
    return decode_tokens / verify_ct


def accept_length_from_histogram(histogram: Ints) -> float:
    """Return the same by what the cycles say themselves: a bonus token each, and the drafts they accepted.

    It is a little larger: what the last cycle of a request accepted beyond the limit of tokens is counted
    here and never reaches the client.

    Args:
        histogram: Of cycles, by how many drafts they accepted, from 0 up. Shape (num_steps + 1,).

    Raises:
        MeasureError: If there was no cycle.
    """
    drafts = int(_accepted_at(histogram).sum())
    return 1 + accept_length(drafts, int(histogram.sum()))


def cut_explains(decode_tokens: Ints, verify_ct: Ints, correct_drafts: Ints, num_steps: int) -> bool:
    """Return whether the cut at the end of each answer explains why two counts of its tokens differ.

    Only the last cycle can be cut, and at least one of its tokens stays, so an answer lacks between 0 and
    *num_steps* of the tokens in its histogram.

    Args:
        decode_tokens: Tokens after the one that prefill gave. Shape (requests,).
        verify_ct: Cycles. Shape (requests,).
        correct_drafts: Accepted drafts. Shape (requests,).
        num_steps: The most drafts that a cycle can accept.
    """
    cut = verify_ct + correct_drafts - decode_tokens
    return bool(((cut >= 0) & (cut <= num_steps)).all())


def acceptance_by_position(histogram: Ints) -> NDArray[np.float64]:
    """Return the share of all cycles that accepted the draft at position 1, 2, ... (marginal).

    Together they are the drafts that a cycle accepts on average.

    Args:
        histogram: Of cycles, by how many drafts they accepted, from 0 up. Shape (num_steps + 1,).

    Returns:
        Shares in [0, 1]. Shape (num_steps,).

    Raises:
        MeasureError: If there was no cycle.
    """
    return np.asarray(_accepted_at(histogram) / _cycles(histogram))


def conditional_acceptance(histogram: Ints) -> NDArray[np.float64]:
    """Return how often position 1, 2, ... was accepted where the positions before it had been.

    Args:
        histogram: Of cycles, by how many drafts they accepted, from 0 up. Shape (num_steps + 1,).

    Returns:
        Shares in [0, 1], up to the first position that no cycle came to. Shape (at most num_steps,).

    Raises:
        MeasureError: If there was no cycle.
    """
    accepted = _accepted_at(histogram)
    asked = np.concatenate(([_cycles(histogram)], accepted))[: accepted.size]  # accepted all before
    came = asked > 0
    return np.asarray(accepted[came] / asked[came])


def _accepted_at(histogram: Ints) -> Ints:
    """Return the cycles that accepted draft 1, 2, ...: those that did not stop before. Shape (num_steps,)."""
    stopped_before = histogram.cumsum()[:-1]
    return np.asarray(histogram.sum() - stopped_before)


def _cycles(histogram: Ints) -> int:
    cycles = int(histogram.sum())
    if cycles <= 0:
        raise MeasureError(
            "a histogram without cycles, expected one at least; see that the server speculates"
        )
    return cycles
