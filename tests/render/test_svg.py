import pytest

from sweetspot.errors import RecordError
from sweetspot.render.svg import inline

SAVED = """<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">
<svg xmlns:xlink="xlink" width="75pt" viewBox="0 0 75 60" version="1.1">
 <!-- words --><g id="axes_1" clip-path="url(#p1)" style="fill: #0072b2"><use xlink:href="#m1"/></g>
</svg>"""


def test_stands_alone() -> None:
    """No reference is left, ids are the figure's own, and colours are the page's."""
    part = inline(SAVED, "speed", "A <label>")

    assert part == (
        '<svg role="img" aria-label="A &lt;label&gt;" viewBox="0 0 75 60" '
        'style="width: 100px; min-width: 68px">\n'
        ' <g id="speed-axes_1" clip-path="url(#speed-p1)" style="fill: var(--blue)">'
        '<use href="#speed-m1"/></g>\n</svg>'
    )


def test_not_a_figure() -> None:
    """Anything else is refused by the name of its file."""
    with pytest.raises(RecordError, match=r"figures/speed\.svg: no viewBox"):
        inline("<svg>", "speed", "")
