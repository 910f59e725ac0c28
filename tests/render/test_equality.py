"""Tests of `sweetspot.render.equality`."""

from typing import Any

from sweetspot.render.equality import equality_remarks


def row(low: float | None, high: float | None, holds: bool = True) -> dict[str, Any]:
    """Return a row of equality.json with these ends of the speed's interval."""
    return {
        "variant": "s2.default",
        "load": 8,
        **{"decode_tokens_per_s": 0.99, "decode_tokens_per_s_low": low, "decode_tokens_per_s_high": high},
        **{"cycle_s": 1.01, "cycle_s_low": low, "cycle_s_high": high},
        "holds": holds,
    }


def remarks(*rows: dict[str, Any], tolerance: float = 0.01, missing: Any = ()) -> list[str]:  # noqa: ANN401
    """Return the lines on *rows*."""
    return equality_remarks({"rounds": 3, "tolerance": tolerance, "rows": list(rows), "missing": missing})


def test_both_ratios_with_their_intervals() -> None:
    """A line for each row says how one kind compares with the other."""
    line, _ = remarks(row(0.97, 1.01))

    assert line == (
        "s2.default at load 8, one load over dedicated: speed 0.99 [0.97, 1.01], mean cycle 1.01 [0.97, 1.01]"
    )


def test_what_is_not_refuted_says_what_it_may_have_missed() -> None:
    """A wide interval proves little, and the last line says how little."""
    outcome = remarks(row(0.93, 1.07), row(0.7, 1.4))[-1]

    assert "3 rounds side by side: not refuted" in outcome
    assert "by the widest interval up to 40 % may have been missed" in outcome


def test_the_refuted_are_named() -> None:
    """One of two rows decides, and what follows from it is said."""
    outcome = remarks(row(0.97, 0.98, holds=False), row(0.99, 1.01), tolerance=0.1)[-1]

    assert "refuted, larger than its interval and 10 % is the difference of s2.default at load 8:" in outcome


def test_what_gave_no_numbers_is_not_called_equal() -> None:
    """Of two pairs one failed: the line says of which nothing is known."""
    outcome = remarks(row(0.99, 1.01), missing=[{"variant": "none.default", "load": 8}])[-1]

    assert "not refuted where both ways gave numbers (not for none.default at load 8), no diff" in outcome


def test_one_round() -> None:
    """It neither refutes nor proves."""
    alone = equality_remarks({"rounds": 1, "tolerance": 0.01, "rows": [row(None, None)], "missing": []})[-1]

    assert "1 round side by side: not refuted and not proved, one round has no interval" in alone


def test_nothing_was_compared() -> None:
    """The launches of the second stage failed."""
    assert remarks() == [
        "One load against a load each: not compared, no launch of the second stage gave a number."
    ]
