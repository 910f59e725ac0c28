from tests.analyse.audit.planting import rules_of


def test_accept_length_falls() -> None:
    """A chain accepts no less with more steps."""
    text = """
| num_steps | accept length | tok/s |
|---|---|---|
| 1 | 1.7 | 90 |
| 2 | 2.1 | 99 |
| 3 | 1.8 | 88 |
"""

    assert rules_of(text) == {"accept-length-falls"}


def test_sweep_gaps() -> None:
    """What is called the best has neighbours that were measured."""
    text = """
| num_steps | tok/s |
|---|---|
| 1 | 90 |
| 2 | 99 |
| 6 | 88 |

This proves 2 steps to be optimal.
"""

    assert rules_of(text) == {"sweep-gaps"}
