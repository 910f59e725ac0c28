from tests.analyse.audit.planting import planted, rules_of


def test_phase_sum() -> None:
    """Draft and verify fit into the cycle."""
    text = planted("transposed with units in cells", "14.6ms", "16.6ms")

    assert rules_of(text) == {"phase-sum"}


def test_draft_time_falls() -> None:
    """More steps do not draft in less time."""
    text = """
| steps | draft ms | verify ms | tok/s |
|---|---|---|---|
| 1 | 1.4 | 15 | 90 |
| 3 | 0.9 | 17 | 95 |
"""

    assert rules_of(text) == {"draft-time-falls"}
