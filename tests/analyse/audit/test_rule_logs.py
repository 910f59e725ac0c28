import pytest

from tests.analyse.audit.planting import planted, rules_of


@pytest.mark.parametrize(
    ("shape", "old", "new"),
    [
        ("sglang log", "rate: 0.63", "rate: 0.83"),
        ("sglang log of unknown settings", "accept len: 1.80", "accept len: 2.80"),
    ],
)
def test_sglang_accept_rate(shape: str, old: str, new: str) -> None:
    """A line's rate follows from its accept length and the settings that the other lines fit."""
    text = planted(shape, old, new)

    assert rules_of(text) == {"accept-rate"}


@pytest.mark.parametrize(
    ("shape", "old", "new"),
    [
        ("vllm log", "length: 2.37", "length: 2.97"),
        ("vllm log", "45.6%", "55.6%"),
        ("vllm log with throughputs", "75.00", "95.00"),
        ("vllm log with throughputs", "0.440, 0.320", "0.320, 0.440"),
    ],
)
def test_vllm_metrics(shape: str, old: str, new: str) -> None:
    """A line's means, rates and throughputs follow from its counts and from its shares, which fall."""
    text = planted(shape, old, new)

    assert rules_of(text) == {"vllm-metrics"}
