from tests.analyse.audit.planting import rules_of


def test_same_configuration() -> None:
    """Tuning that leaves the work as it is leaves the tokens of a cycle as they are."""
    text = """
| setup | steps | cycle ms | tok/s |
|---|---|---|---|
| default NCCL | 5 | 29.7 | 71.3 |
| tuned NCCL | 5 | 22.7 | 86.7 |
"""

    assert rules_of(text) == {"same-configuration"}
