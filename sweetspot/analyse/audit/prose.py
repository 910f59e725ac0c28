"""Splits prose into sentences and finds in them what is said about named configurations. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sweetspot.analyse.audit.banners import figure_at
from sweetspot.analyse.audit.figures import APPROXIMATELY, NUMBER, Figure
from sweetspot.analyse.audit.names import BASELINE
from sweetspot.analyse.audit.places import Place, offset_of, place_of

_END = re.compile(
    r"(?<=[。！？；])|(?<=[.!?])[\"'”)*]*\s+(?=[\"'“(*\[]*[A-Z\d])|\n\s*\n|\n(?=\s*(?:[-*•>]|\d+[.)])\s)|\n(?=#)"
)
PER_SECOND = r"(?:tok(?:en)?s?\s?/\s?s(?:ec(?:ond)?)?\b|tok(?:en)?s? per second|tps\b|t/s\b)"
STEPS = re.compile(
    r"\b(?P<digits>\d{1,2})[- ](?:speculative |spec |draft )?steps?\b|\bnum_steps\s*=\s*(?P<given>\d{1,2})\b"
    r"|\b(?P<word>one|two|three|four|five|six|seven|eight)[- ](?:speculative |draft )?steps?\b",
    re.IGNORECASE,
)
LONGEST = 2000  # characters of a sentence that is one
_WORDS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight")
_SPEED = re.compile(rf"(?P<about>{APPROXIMATELY})?(?P<value>{NUMBER})\s*{PER_SECOND}", re.IGNORECASE)
_BARE_BASELINE = re.compile(
    rf"baseline\s*(?:\(|of|is|was|at|:|=|\bspeed "
    rf"of)\s*(?P<about>{APPROXIMATELY})?(?P<value>{NUMBER})(?!\s*(?:%|ms|s\b|x|×|\d))",
    re.IGNORECASE,
)
_DRAFT_TOKENS = re.compile(
    r"(?P<n1>\d{1,2})[- ]steps?\s*[(,]\s*(?P<d1>\d{1,3}) draft tokens|"
    r"(?P<d2>\d{1,3}) draft tokens\s*[(,]\s*(?P<n2>\d{1,2})[- ]steps?",
    re.IGNORECASE,
)
_UNTUNED = re.compile(
    r"without (?:[\w-]+ ){0,3}(?:tuning|nccl)|\buntuned\b|before (?:[\w-]+ ){0,3}tuning|un-tuned|default "
    r"nccl|not tuned",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Sentence:
    """One sentence, and where it begins."""

    text: str
    start: int
    whole: str  # the text that it stands in

    def place(self, offset: int = 0) -> Place:
        """Return where the character at *offset* of the sentence stands."""
        return place_of(self.whole, self.start + offset)

    def figure(self, match: re.Match[str], group: str, unit: str = "", about: bool = False) -> Figure:
        """Return the figure whose digits *group* holds."""
        return figure_at(self.whole, self.start + match.start(group), match[group], unit, about)

    def before(self, figure: Figure) -> str:
        """Return the line as far as *figure*."""
        start = offset_of(self.whole, Place(figure.place.line, 1))
        return self.whole[start : start + figure.place.column - 1]

    @property
    def short(self) -> str:
        """Its beginning, in one line."""
        words = " ".join(self.text.split())
        return words if len(words) <= 60 else words[:57] + "..."


@dataclass(frozen=True)
class Said:
    """A speed that prose gives for a configuration; num_steps None is the baseline."""

    num_steps: int | None
    speed: Figure
    untuned: bool
    sentence: Sentence


def sentences(prose: str) -> list[Sentence]:
    """Return the sentences of *prose*, blanked parts left out."""
    found, start = [], 0
    for match in [*_END.finditer(prose), None]:
        end = match.start() if match else len(prose)
        piece = prose[start:end]
        lead = len(piece) - len(piece.lstrip())
        if piece.strip() and len(piece) <= LONGEST:
            found.append(Sentence(piece.strip(), start + lead, prose))
        start = match.end() if match else end
    return found


def step_counts(text: str) -> list[int]:
    """Return the step counts that *text* names, each once, in order."""
    found = [
        int(match["digits"] or match["given"]) if not match["word"] else _WORDS.index(match["word"].lower())
        for match in STEPS.finditer(text)
    ]
    return list(dict.fromkeys(found))


def said_speeds(all_sentences: Sequence[Sentence]) -> Iterator[Said]:
    """Yield each speed that clearly is one configuration's, or the baseline's."""
    subject: int | None = None
    for sentence in all_sentences:
        named = step_counts(sentence.text)
        if len(named) == 1:
            subject = named[0]
        elif named or not re.search(r"\bit\b|\bthis\b|\bthat\b", sentence.text):
            subject = None
        for match in _BARE_BASELINE.finditer(sentence.text):
            if _SPEED.search(sentence.text):
                yield Said(
                    None, sentence.figure(match, "value", "tok/s", bool(match["about"])), False, sentence
                )
        matches = list(_SPEED.finditer(sentence.text))
        for match in matches:
            before = sentence.text[max(0, match.start() - 80) : match.start()]
            figure = sentence.figure(match, "value", "tok/s", bool(match["about"]))
            if re.search(r"baseline\W{0,3}(?:\w+ ){0,2}\W{0,2}$", before, re.IGNORECASE) or (
                BASELINE.search(before[-40:]) and not named
            ):
                yield Said(None, figure, False, sentence)
            elif len(matches) == 1 and subject is not None and len(named) <= 1:
                yield Said(subject, figure, bool(_UNTUNED.search(sentence.text)), sentence)


def draft_tokens(prose: str) -> dict[int, int]:
    """Return the draft tokens that prose gives for step counts; one given two ways is left out."""
    found: dict[int, set[int]] = {}
    for match in _DRAFT_TOKENS.finditer(prose):
        steps, tokens = int(match["n1"] or match["n2"]), int(match["d1"] or match["d2"])
        found.setdefault(steps, set()).add(tokens)
    return {steps: tokens.pop() for steps, tokens in found.items() if len(tokens) == 1}
