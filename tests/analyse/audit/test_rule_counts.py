import pytest

from tests.analyse.audit.planting import planted, rules_of


@pytest.mark.parametrize(
    ("shape", "old", "new"),
    [
        ("bench_serving", "95.62", "125.62"),
        ("vllm bench serve", "1000.00", "1250.00"),
        ("vllm bench serve", "1300.00", "1500.00"),
        ("vllm bench serve", "4.00", "5.20"),
        ("vllm bench serve", "26.40", "36.40"),
    ],
)
def test_counts(shape: str, old: str, new: str) -> None:
    """A rate is its count over the duration, or over another count."""
    text = planted(shape, old, new)

    assert rules_of(text) == {"counts"}


def test_accepted_per_cycle() -> None:
    """Accept length is accepted tokens over cycles, and the bonus token."""
    text = """
---------------Speculative Decoding---------------
Acceptance length:                       1.53
Drafts:                                  13000
Accepted tokens:                         6864
"""

    assert rules_of(text) == set()
    assert rules_of(text.replace("1.53", "1.73")) == {"counts"}


@pytest.mark.parametrize(
    ("shape", "old", "new"),
    [
        ("vllm bench serve", "1.53", "1.73"),
        ("vllm bench serve", "12.16", "22.16"),
    ],
)
def test_shares_by_position(shape: str, old: str, new: str) -> None:
    """Accept length is 1 and the shares of all positions."""
    text = planted(shape, old, new)

    assert rules_of(text) == {"counts"}


def test_time_between_chunks() -> None:
    """A chunk holds the tokens of a cycle at most."""
    text = planted("vllm bench serve", "8.40", "28.40")

    assert rules_of(text) == {"itl"}


def test_requests_at_once() -> None:
    """The mean of requests in flight is their number times their time, over the duration."""
    text = planted("bench_serving with latencies", "7.43", "9.43")

    assert rules_of(text) == {"counts"}


@pytest.mark.parametrize(
    ("shape", "old", "new"),
    [
        ("vllm bench serve", "6.40", "5.10"),
        ("bench_serving with latencies", "9180.00", "9780.00"),
        ("json with statistics inside", "6.1", "8.1"),
    ],
)
def test_tails(shape: str, old: str, new: str) -> None:
    """A percentile does not lie below a lower one."""
    text = planted(shape, old, new)

    assert rules_of(text) == {"tails"}
