from tests.analyse.audit.planting import planted, rules_of


def test_constants() -> None:
    """Speed times the time of a fixed job is one number in every row."""
    text = planted("speed and the time of a fixed job", "204.7", "264.7")

    assert rules_of(text) == {"constant"}
