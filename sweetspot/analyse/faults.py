"""Says what in a row of the summary can't be true, or is not what speculation promises. Pure."""

from typing import Any

REPORTED = "reported"  # status and verdict of a row without records, of which nothing can be found wrong
RESIDUAL_LIMIT = 0.03  # beyond it a row is mislabelled, mixed from two servers, or its chunks are not cycles
DEAD_DRAFT = 1.02  # tokens a cycle, bonus included: one draft in fifty cycles is accepted by chance alone


def faults(row: dict[str, Any]) -> list[str]:
    """Return what is wrong with *row*, each in one line; an empty list if nothing is.

    Args:
        row: Of the summary, with passes.
    """
    found = [*_identity(row), *_exactness(row)]
    return [*_acceptance(row), *found] if row["num_steps"] else found


def _identity(row: dict[str, Any]) -> list[str]:
    """Return whether tokens a second x seconds a cycle differ from tokens a cycle."""
    residual = row["identity_residual"]
    if residual is None or abs(residual) <= RESIDUAL_LIMIT:
        return []
    return [
        f"tokens/s x cycle time is {100 * residual:+.1f} % off accept_length {row['accept_length']:.3f}, "
        f"expected at most {100 * RESIDUAL_LIMIT:.0f} %"
    ]


def _exactness(row: dict[str, Any]) -> list[str]:
    """Return whether tokens differ from the baseline's."""
    if row["exact"] != "inexact":
        return []
    noise = row["noise_floor_share"]
    itself = "" if noise is None else f", the baseline from itself in {100 * noise:.1f} %"
    return [
        f"tokens differ from the baseline's in {100 * row['diverged_share']:.1f} % of requests{itself}, "
        f"first at token {row['first_divergence']}: {row['inexact_reason']}"
    ]


def _acceptance(row: dict[str, Any]) -> list[str]:
    """Return what is wrong with the acceptance of a row with speculation."""
    length, most = row["accept_length"], row["num_steps"] + 1
    if length is None:
        return ["the server counted no cycles of speculation, expected some; was it on?"]
    found = []
    if length <= DEAD_DRAFT:
        found.append(f"dead draft: accept_length {length:.3f}, expected above {DEAD_DRAFT}")
    positions = len(row["acceptance_by_position"] or [])
    if length > most or positions >= most:
        found.append(
            f"accept_length {length:.3f} with {positions} draft positions, "
            f"expected at most {most} and {most - 1}: counted at another step count"
        )
    if row["accept_lengths_agree"] is False:
        found.append(
            f"accept_length {length:.3f} by cycles and {row['accept_length_from_histogram']:.3f} by accepted "
            "drafts: more apart than the cut at the end of an answer explains"
        )
    return found
