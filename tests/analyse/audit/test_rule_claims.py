import pytest

from tests.analyse.audit.planting import planted, rules_of


@pytest.mark.parametrize(
    ("shape", "old", "new"),
    [
        ("claims in prose", "(24% less)", "(34% less)"),
        ("two claims in a sentence", "a 20% gain", "a 31% gain"),
        ("two claims in a sentence", "25% drop", "35% drop"),
        ("chinese prose", "提升 20%", "提升 31%"),
        ("chinese prose", "降低 25%", "降低 35%"),
    ],
)
def test_percent(shape: str, old: str, new: str) -> None:
    """A stated share follows from its two figures."""
    text = planted(shape, old, new)

    assert rules_of(text) == {"percent"}


def test_factor() -> None:
    """A stated multiple is the ratio of its two figures."""
    text = planted("claims in prose", "2.0x", "2.6x")

    assert rules_of(text) == {"factor"}


def test_percent_of_baseline() -> None:
    """A share of the baseline follows from the speed and the baseline that the text names."""
    text = planted("claims in prose", "5.9% above", "9.5% above")

    assert rules_of(text) == {"percent"}


def test_draft_token_factor() -> None:
    """A multiple of draft tokens is their ratio, not that of the steps."""
    text = """
We tried 5 steps (6 draft tokens) and 1 step (2 draft tokens).
Verify shrinks from 5-step (21.70 ms) to 1-step (17.44 ms), for a 5x reduction in draft tokens.
"""

    assert rules_of(text) == {"factor"}
    assert rules_of(text.replace("5x", "3x")) == set()
