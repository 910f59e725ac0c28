from tests.analyse.audit.planting import planted, rules_of


def test_columns() -> None:
    """A column that follows from two others does so in every row."""
    text = planted("before and after, no known name", "+20.0%", "+40.0%")

    assert rules_of(text) == {"change"}


def test_brackets() -> None:
    """A factor in brackets is over the column that the others are over."""
    text = planted("factors in brackets", "(1.47x)", "(1.74x)")

    assert rules_of(text) == {"speedup"}
