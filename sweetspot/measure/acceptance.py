"""What became of the drafts, from counts that can be added up.

Counts of requests, passes and rounds are summed first and divided once. A mean of ratios would give a
short answer the weight of a long one. Pure: no files, no clock, no random numbers.
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
        raise MeasureError(f"{decode_tokens} tokens in no cycle, expected one; was speculation on?")
    return decode_tokens / verify_ct


def accept_length_from_histogram(histogram: Ints) -> float:
    """Return the same from the histogram: one bonus token a cycle, and the accepted drafts.

    It is a little larger: what the last cycle of a request accepted beyond the limit of tokens is counted
    here and never reaches the client.

    Args:
        histogram: Cycles that accepted 0, 1, ... drafts. Shape (num_steps + 1,).

    Raises:
        MeasureError: If there was no cycle.
    """
    drafts = int(np.arange(histogram.size) @ histogram)
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
    """Return the share of cycles in which draft position 1, 2, ... was accepted (marginal).

    A position counts only if every one before it was accepted: the shares never rise, and their sum is the
    accept_length of the histogram less the bonus token.

    Args:
        histogram: Cycles that accepted 0, 1, ... drafts. Shape (num_steps + 1,).

    Returns:
        Shares in [0, 1]. Shape (num_steps,).

    Raises:
        MeasureError: If there was no cycle.
    """
    reached = _cycles_that_reached(histogram)
    return np.asarray(reached[1:] / reached[0])


def conditional_acceptance(histogram: Ints) -> NDArray[np.float64]:
    """Return how often position 1, 2, ... was accepted where the positions before it had been.

    Args:
        histogram: Cycles that accepted 0, 1, ... drafts. Shape (num_steps + 1,).

    Returns:
        Shares in [0, 1], up to the first position that no cycle came to. Shape (at most num_steps,).

    Raises:
        MeasureError: If there was no cycle.
    """
    reached = _cycles_that_reached(histogram)
    asked = reached[:-1][reached[:-1] > 0]
    return np.asarray(reached[1 : asked.size + 1] / asked)


def _cycles_that_reached(histogram: Ints) -> Ints:
    """Return the cycles that accepted at least 0, 1, ... drafts. Shape (num_steps + 1,), never rises."""
    if histogram.sum() <= 0:
        raise MeasureError("a histogram without cycles, expected at least one; was speculation on?")
    return np.asarray(histogram[::-1].cumsum()[::-1])
