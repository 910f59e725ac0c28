"""What greedy verification accepts of a constructed pair, counted from the marks of its orbit."""

from collections.abc import Iterator

from sweetspot.models.orbit import Orbit


def walk(orbit: Orbit, token: int, num_steps: int) -> Iterator[int]:
    """Yield how many drafts each cycle accepts, without end, beginning after the verified *token*."""
    place = orbit.tokens.index(token)
    while True:
        accepted = _accepted(orbit, place, num_steps)
        yield accepted
        place = (place + accepted + 1) % len(orbit.tokens)


def expected_accept_length(orbit: Orbit, num_steps: int) -> float:
    """Return the mean tokens a cycle over one endless generation, the bonus token included.

    Exact: the generation is followed from the first run until it comes back to where it was. It is about
    `1 + p + p**2 + ... + p**num_steps` for the constant acceptance p.

    Args:
        orbit: The target's and the draft's.
        num_steps: Drafts a cycle, in a chain.
    """
    lengths: list[int] = []
    cycle_at: dict[int, int] = {}  # place: the cycle that began there
    place = 0
    while place not in cycle_at:
        cycle_at[place] = len(lengths)
        lengths.append(_accepted(orbit, place, num_steps) + 1)
        place = (place + lengths[-1]) % len(orbit.tokens)
    closed = lengths[cycle_at[place] :]
    return sum(closed) / len(closed)


def _accepted(orbit: Orbit, place: int, num_steps: int) -> int:
    for accepted in range(num_steps):
        if not orbit.right[(place + accepted) % len(orbit.right)]:
            return accepted
    return num_steps
