import pytest

from tests.analyse.audit.planting import planted, rules_of


@pytest.mark.parametrize(
    ("shape", "old", "new"),
    [
        ("means of a row", "4.80", "4.08"),
        ("means of a row", "3.10", "4.10"),
        ("means of two metrics in turn", "2.74x", "2.47x"),
        ("means of two metrics in turn", "3.00", "3.30"),
    ],
)
def test_means(shape: str, old: str, new: str) -> None:
    """A mean is that of the figures beside it."""
    text = planted(shape, old, new)

    assert rules_of(text) == {"mean"}
