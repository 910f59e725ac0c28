"""Finds out whether a stated accept length counts the bonus token, and adds it where it does not. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sweetspot.analyse.bonus import BONUS, Counting, possible


@dataclass(frozen=True)
class Reconciled:
    """An accept_length with its bonus token, from what a source states."""

    value: float | None  # tokens a cycle
    stated: str | None  # as the source prints it
    how: str  # value follows from it
    residual: float | None  # of the identity; None where value was taken from it


def reconcile(stated: Mapping[str, Any] | None, num_steps: int, implied: float | None) -> Reconciled:
    """Return the accept_length that is stated, the bonus token included.

    A reading has to lie between 1 and num_steps + 1. If both do, the one nearer to *implied* holds. Of a
    range, the value nearest to *implied* is taken; without anything stated, *implied* itself.

    Args:
        stated: `stated` (the source's words), `low` and `high` (equal for a single number), and `bonus`:
            included, excluded or unstated.
        num_steps: Draft steps, at least 1.
        implied: Tokens a second for one request x seconds a cycle, None if one of them is not stated.
    """
    if stated is None:
        if implied is None:
            return Reconciled(None, None, "neither accept_length nor cycle time is stated", None)
        how = f"accept_length {implied:.3f} is speed x cycle time, none is stated"
        return Reconciled(implied, None, how, None)
    words, low, high = stated["stated"], stated["low"], stated["high"]
    readings = possible(low, high, num_steps)
    if stated["bonus"] != "unstated":
        reading, why = stated["bonus"], "as the source says"
    elif len(readings) == 1:
        reading, why = readings[0], f"the one reading within 1 to {num_steps + 1}"
    elif not readings:
        return Reconciled(
            None, words, f"stated {words}, which {num_steps} steps can't give in any reading", None
        )
    elif implied is None:
        return Reconciled(
            None, words, f"stated {words}, with or without the bonus token: nothing tells", None
        )
    else:
        known = implied
        reading = min(readings, key=lambda bonus: abs(_nearest(low, high, bonus, known) - known))
        why = "the reading nearer to speed x cycle time"
    value = _nearest(low, high, reading, implied)
    how = f"accept_length {value:.3f}: stated {words}, bonus token {reading} ({why})"
    if implied is None:
        return Reconciled(value, words, how, None)
    if low < high and value == implied:
        return Reconciled(value, words, f"{how}; within that range by speed x cycle time", None)
    return Reconciled(value, words, f"{how}; speed x cycle time gives {implied:.3f}", implied / value - 1)


def _nearest(low: float, high: float, bonus: Counting, implied: float | None) -> float:
    """Return the value of a reading that is nearest to *implied*, or its middle."""
    low, high = low + BONUS[bonus], high + BONUS[bonus]
    return (low + high) / 2 if implied is None else min(max(implied, low), high)
