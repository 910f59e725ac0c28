import pytest

from sweetspot.analyse.bonus import Counting, possible


@pytest.mark.parametrize(
    ("least", "most", "num_steps", "expected"),
    [
        (0.6, 0.6, 1, ["excluded"]),  # below the bonus token alone
        (1.6, 1.6, 1, ["included"]),  # 2.6 of at most 2
        (1.3, 1.3, 5, ["included", "excluded"]),
        (3.4, 3.4, 2, []),
        (1.85, 2.12, 2, ["included"]),
        (9.0, 9.0, None, ["included", "excluded"]),
    ],
)
def test_possible(least: float, most: float, num_steps: int | None, expected: list[Counting]) -> None:
    """With its bonus token an accept length lies between 1 and num_steps + 1, both ends of a range."""
    assert possible(least, most, num_steps) == expected
