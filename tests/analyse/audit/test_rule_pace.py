from sweetspot.analyse.audit import audit
from tests.analyse.audit.planting import planted, rules_of


def test_time_per_token() -> None:
    """A speed is at most requests in flight over the time that a token takes."""
    text = """
| case | tok/s | TPOT (ms) |
|---|---|---|
| a | 50.0 | 20.0 |
| b | 80.0 | 12.5 |
| c | 90.0 | 14.0 |
"""

    assert rules_of(text) == {"time-per-token"}


def test_requests_that_a_heading_tells() -> None:
    """The finding counts with as many as it was found with."""
    text = """
| case | tok/s (batch 8) | TPOT (ms) |
|---|---|---|
| a | 400.0 | 20.0 |
| b | 640.0 | 12.5 |
| c | 900.0 | 14.0 |
"""

    (finding,) = audit(text, "x").findings

    assert finding.message == "8 / 14 ms is 571.4 tok/s, stated 900.0"


def test_request_time_per_token() -> None:
    """One request's speed is the inverse of the time that its tokens take."""
    text = planted("interactivity", "10.34", "13.34")

    assert rules_of(text) == {"time-per-token"}


def test_requests_in_flight() -> None:
    """The speed of all requests is at most that of one times their number."""
    text = planted("aligned columns", "572.0 ", "872.0 ")

    assert rules_of(text) == {"requests-in-flight"}


def test_a_time_of_zero_tells_nothing() -> None:
    """What a program that did not measure it prints is no time."""
    text = """
| case | tok/s | TPOT (ms) |
|---|---|---|
| a | 50.0 | 20.0 |
| b | 80.0 | 12.5 |
| c | 90.0 | 0.0 |
"""

    assert rules_of(text) == set()
