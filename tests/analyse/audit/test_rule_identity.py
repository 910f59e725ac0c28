import pytest

from tests.analyse.audit.planting import planted, rules_of


def test_mixed_convention() -> None:
    """Rows of one table count the bonus token alike."""
    text = planted("csv in seconds", "1,1,1.71", "1,1,0.71")

    assert rules_of(text) == {"mixed-convention"}


@pytest.mark.parametrize(
    ("shape", "old", "new"),
    [
        ("iterations a second", "39.1", "31.1"),
        ("bench_speculative", '"speed": 94.2', '"speed": 104.2'),
        ("chinese headings", "101.5 | 1.41×", "131.5 | 1.83×"),
        ("one configuration in a sentence", "2.40", "3.10"),
    ],
)
def test_identity(shape: str, old: str, new: str) -> None:
    """Accept length is the speed of one request times the time of a cycle."""
    text = planted(shape, old, new)

    assert rules_of(text) == {"identity"}


def test_identity_in_a_table() -> None:
    """Accept length is the speed of one request times the time of a cycle."""
    text = """
| steps | accept length | cycle ms | tok/s |
|---|---|---|---|
| 1 | 1.62 | 18.82 | 86.1 |
| 2 | 1.87 | 19.85 | 114.2 |
| 5 | 1.96 | 22.68 | 86.4 |
"""

    assert rules_of(text) == {"identity"}


@pytest.mark.parametrize(
    ("shape", "old", "new"),
    [
        ("sglang log", "len: 1.90", "len: 3.90"),
        ("one configuration in a sentence", "an accept length of 2.40", "or 5.40 tokens per cycle"),
    ],
)
def test_accept_length_bound(shape: str, old: str, new: str) -> None:
    """A cycle yields no more than its drafts and the bonus token."""
    text = planted(shape, old, new)

    assert "accept-length-bound" in rules_of(text)


def test_accept_length_bound_in_a_table() -> None:
    """A cycle yields no more than its drafts and the bonus token."""
    text = """
| num_steps | accept length |
|---|---|
| 2 | 3.4 |
| 5 | 3.6 |
"""

    assert "accept-length-bound" in rules_of(text)


def test_range_one_end() -> None:
    """Both ends of a range fit the row's own speed."""
    text = planted("csv in seconds", "2.42", "2.42-2.90")

    assert rules_of(text) == {"range-one-end"}
