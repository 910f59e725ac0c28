import pytest

from tests.analyse.audit.planting import planted, rules_of


@pytest.mark.parametrize(
    ("shape", "old", "new"),
    [
        ("markdown, other names", "1.14x", "1.34x"),
        ("html, names in the second line of the heading", "2.10x", "2.70x"),
        ("latex", "1.60\\(", "1.85\\("),
        ("chinese headings", "1.41×", "1.14×"),
        ("latency beside speed", "1.20x", "1.42x"),
        ("speedup of decoding alone", "2.00x", "3.00x"),
    ],
)
def test_speedup(shape: str, old: str, new: str) -> None:
    """A speedup is the row's speed over a baseline's."""
    text = planted(shape, old, new)

    assert rules_of(text) == {"speedup"}


def test_change() -> None:
    """A change in percent follows from the row and its baseline."""
    text = planted("changes against the baseline, decimal commas", "+5,4%", "+15,4%")

    assert rules_of(text) == {"change"}
