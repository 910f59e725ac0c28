"""The two ways to count a stated accept length, with the bonus token or without, and their bounds. Pure."""

from typing import Literal

Counting = Literal["included", "excluded"]

BONUS: dict[Counting, int] = {"included": 0, "excluded": 1}  # tokens a cycle to add to what is stated


def possible(least: float, most: float, num_steps: float | None) -> list[Counting]:
    """Return those that lie between 1 and *num_steps* + 1 once the bonus token is added.

    Args:
        least: Of what is stated, in tokens a cycle.
        most: Of what is stated.
        num_steps: Draft steps; None if nobody says, so nothing bounds it.
    """
    limit = float("inf") if num_steps is None else num_steps + 1
    return [reading for reading, added in BONUS.items() if least + added >= 1 and most + added <= limit]
