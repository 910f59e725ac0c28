"""Reads the EAGLE3_PROF banner, on many lines or squeezed into one. Pure."""

import re
from dataclasses import dataclass

from sweetspot.analyse.audit.figures import NUMBER, Figure, number
from sweetspot.analyse.audit.places import Place, place_of

_HEAD = re.compile(r"EAGLE3?_PROF\w*\s*\(\s*(\d[\d,]*)\s*cyc\w*,\s*(\d[\d,]*)\s*tok\w*[^)]*\)", re.IGNORECASE)
_PHASE = re.compile(
    rf"(?P<name>[A-Za-z][\w /-]*?)\s*[:=]\s*(?P<ms>{NUMBER})\s*ms(?:/cyc\w*)?"
    rf"(?:\s*\(\s*(?P<share>{NUMBER})\s*%\s*\))?"
)
_LENGTH = re.compile(rf"accept\w*[ _]len\w*\s*[:=]\s*({NUMBER})", re.IGNORECASE)
_SPEED = re.compile(rf"eff\w*\.?\s*tok\w*/s\s*[:=]\s*({NUMBER})", re.IGNORECASE)
REACH = 1200  # characters that a banner may take


@dataclass(frozen=True)
class Phase:
    """One phase of a cycle."""

    name: str
    time: Figure  # milliseconds
    share: Figure | None  # percent


@dataclass(frozen=True)
class Banner:
    """What one banner says."""

    number: int
    place: Place
    cycles: int
    tokens: int
    phases: tuple[Phase, ...]
    total: Figure | None
    accept_length: Figure | None
    tokens_per_s: Figure | None


def find_banners(text: str) -> list[Banner]:
    """Return the banners of *text* in order; one of no cycles says nothing."""
    return [
        _banner(text, number, head, text[head.end() : span.stop])
        for number, (head, span) in enumerate(_spans(text), start=1)
        if int(head[1].replace(",", "")) > 0
    ]


def banner_spans(text: str) -> list[slice]:
    """Return where the banners stand."""
    return [span for _, span in _spans(text)]


def _spans(text: str) -> list[tuple[re.Match[str], slice]]:
    """Return the head of each banner and where all of it stands."""
    heads = list(_HEAD.finditer(text))
    found = []
    for index, head in enumerate(heads):
        limit = heads[index + 1].start() if index + 1 < len(heads) else len(text)
        body = text[head.end() : min(limit, head.end() + REACH)].partition("\n\n")[0]
        ends = [match.end() for match in (_LENGTH.search(body), _SPEED.search(body)) if match]
        found.append((head, slice(head.start(), head.end() + (max(ends) if ends else len(body)))))
    return found


def _banner(text: str, index: int, head: re.Match[str], body: str) -> Banner:
    """Return the banner with this head and body."""
    start = head.end()
    phases = [
        Phase(
            match["name"].strip(" |-"),
            figure_at(text, start + match.start("ms"), match["ms"], "ms"),
            figure_at(text, start + match.start("share"), match["share"], "%") if match["share"] else None,
        )
        for match in _PHASE.finditer(body)
    ]
    total = next((phase.time for phase in phases if phase.name.lower().endswith("total")), None)
    length, speed = _LENGTH.search(body), _SPEED.search(body)
    return Banner(
        index,
        place_of(text, head.start()),
        int(head[1].replace(",", "")),
        int(head[2].replace(",", "")),
        tuple(phase for phase in phases if not phase.name.lower().endswith("total")),
        total,
        figure_at(text, start + length.start(1), length[1], "") if length else None,
        figure_at(text, start + speed.start(1), speed[1], "tok/s") if speed else None,
    )


def figure_at(text: str, offset: int, digits: str, unit: str, about: bool = False) -> Figure:
    """Return the figure whose digits stand at *offset*."""
    value, step = number(digits)
    return Figure(value, value, step, about, unit, digits, place_of(text, offset))
