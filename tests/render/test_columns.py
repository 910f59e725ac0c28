"""Tests of `sweetspot.render.columns`."""

import pytest

from sweetspot.render.columns import COLUMNS, NOTES, notes_on, residual_text


@pytest.mark.parametrize(("residual", "text"), [(0.0123, "+1.2 %"), (-0.0001, "+0.0 %"), (None, "–")])
def test_residual_text(residual: float | None, text: str) -> None:
    """A residual has a sign, but for nought."""
    assert residual_text({"identity_residual": residual}) == text


@pytest.mark.parametrize(
    "term", ["speedup", "accept_length", "break-even", "accept_rate", "host", "identity residual", "launch"]
)
def test_what_a_heading_alone_does_not_tell_is_explained(term: str) -> None:
    """Each of these stands in a heading and in the notes below the table."""
    assert any(term in column.heading for column in COLUMNS)
    assert any(term in note for note in notes_on({"verdict": "faster"}))


def test_reported_figures_have_notes_of_their_own() -> None:
    """Nothing is said of a timer that never ran."""
    assert notes_on({"verdict": "reported"}) != NOTES
