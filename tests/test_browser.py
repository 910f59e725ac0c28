"""Tests of `tests.browser`: what it would not see, no test of a page could."""

from pathlib import Path

import pytest

from tests import browser

LABEL = '<g id="speed-text_{}"><!-- {} --><rect x="{}" y="10" width="50" height="10"/></g>'


def drawing(*places: int) -> str:
    """Return a drawing 200 pixels wide with a label at each of *places*."""
    labels = "".join(LABEL.format(i, f"label {i}", place) for i, place in enumerate(places))
    return f'<svg width="200" height="100" style="overflow:visible">{labels}</svg>'


@pytest.mark.browser
@browser.needed
@pytest.mark.parametrize(
    ("body", "seen"),
    [
        ('<p style="width:900px">wide</p>', {"beyond": ["wide"]}),
        ('<div style="overflow-x:auto"><p style="width:900px">wide</p></div>', {"beyond": []}),
        (drawing(10, 70), {"overlapping": [], "outside": [], "texts": [2]}),
        (drawing(10, 40), {"overlapping": ["label 0, label 1"]}),
        (drawing(180), {"outside": ["label 0"]}),
    ],
    ids=["sticks out", "can be scrolled", "side by side", "on each other", "cut off"],
)
def test_sees_what_is_wrong(body: str, seen: dict[str, list[str]], tmp_path: Path) -> None:
    """Each fault of a page is found, and its sound twin is not."""
    found = browser.look(f"<!doctype html><body>{body}</body>", 400, tmp_path)

    assert {name: found[name] for name in seen} == seen
