import pytest

from tests.analyse.audit.planting import planted, rules_of


@pytest.mark.parametrize(
    ("shape", "old", "new"),
    [
        ("rates and positions", "50.4%", "30.4%"),
        ("drafts that are fewer at times", "0.811", "0.111"),
    ],
)
def test_accept_rate(shape: str, old: str, new: str) -> None:
    """A rate fits a definition at its row's accept length and steps."""
    text = planted(shape, old, new)

    assert rules_of(text) == {"accept-rate"}


def test_accept_rate_said() -> None:
    """A rate in a sentence fits a definition at some step count of the text."""
    text = """
| steps | accept length | cycle ms | tok/s |
|---|---|---|---|
| 1 | 1.62 | 18.82 | 86.1 |
| 2 | 1.87 | 19.85 | 94.2 |

The repair lifted the accept rate to 51%.
"""

    assert rules_of(text) == {"accept-rate"}
    assert rules_of(text.replace("51%", "62%")) == set()
