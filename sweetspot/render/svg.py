"""Turns a saved figure into a part of a page: it refers to nothing, and has the page's colours. Pure."""

import re

from markupsafe import Markup, escape

from sweetspot.errors import RecordError
from sweetspot.render.theme import COLOURS

PX_PER_PT = 4 / 3
SMALLEST = 0.68  # of its own width: narrower than that, the words can't be read and the figure scrolls


def inline(svg: str, name: str, label: str) -> Markup:
    """Return *svg* to stand in a page, where its colours are the page's variables `--<colour>`.

    Args:
        svg: A file that `figures.save_all` wrote.
        name: Goes before each id, so that two figures share none.
        label: What the figure shows, for those who can't see it.

    Raises:
        RecordError: If it is no such file.
    """
    found = re.search(r'<svg [^>]*viewBox="(0 0 ([\d.]+) [\d.]+)"[^>]*>(.*)</svg>', svg, re.DOTALL)
    if found is None:
        raise RecordError(f"figures/{name}.svg: no viewBox that starts at 0 0, expected one; draw it again")
    view_box, width_px, body = found[1], float(found[2]) * PX_PER_PT, found[3]
    body = re.sub(r"<!--.*?-->", "", body, flags=re.DOTALL)
    body = body.replace('xlink:href="#', 'href="#').replace('href="#', f'href="#{name}-')
    body = body.replace(' id="', f' id="{name}-').replace("url(#", f"url(#{name}-")
    for colour, value in COLOURS.items():
        body = body.replace(value, f"var(--{colour})")
    size = f"width: {width_px:.0f}px; min-width: {SMALLEST * width_px:.0f}px"
    return Markup(
        f'<svg role="img" aria-label="{escape(label)}" viewBox="{view_box}" style="{size}">{body}</svg>'
    )
