"""A published figure: its value or range, and how far off its digits allow it to be. Pure."""

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from sweetspot.analyse.audit.places import Place

NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
APPROXIMATELY = r"(?:~|≈|∼|about |roughly |around |nearly |almost |approximately |approx\. ?|circa |some )"
UNIT = (
    r"(?:ms/(?:cyc(?:le)?|step|tok(?:en)?)|ms|µs|μs|us|seconds?|secs?|s|tok(?:en)?s?\s?/\s?s(?:ec(?:ond)?)?"
    r"|tok(?:en)?s? per second|tps|t/s|it/s|iter/s|steps/s|cycles/s|tok(?:en)?s?(?:/\w+)?|%|[x×])"
)
_CELL = re.compile(
    rf"^(?P<about>~|≈|∼|about |ca\. "
    rf")?\s*(?P<sign>[-+−])?(?P<low>{NUMBER})(?P<suffix>[kKM](?![a-z]))?\s*(?P<unit1>{UNIT})?"
    rf"(?:\s*(?:-|–|—|to|\.\.+)\s*~?(?P<high>{NUMBER})\s*(?P<unit2>{UNIT})?)?"
    rf"(?:\s*(?:±|\+/-)\s*(?P<spread>{NUMBER})\s*(?P<unit3>{UNIT})?)?\s*(?P<rest>\(.*\))?$",
    re.IGNORECASE,
)
_LATEX = {
    "times": "×",
    "pm": "±",
    "tau": "τ",
    "gamma": "γ",
    "alpha": "α",
    "Delta": "Δ",
    "sim": "~",
    "approx": "~",
}
_COMMAND = re.compile(
    rf"\\({'|'.join(_LATEX)}|text\w*|math\w+|emph|bar|underline|ell|(?:up|down)arrow)\b\s*"
    r"|\\([%&_#$])|\\[()\[\],;! ]|(?<=[}\d])\^\{[^}]*\}|_(?=\{)|[{}]|\$(?!\s?\d+(?:\.\d+)?\s*$)"
)
_WIDE = str.maketrans("（）［］：％，；～－＋＝／＜＞｜　", "()[]:%,;~-+=/<>| ")
_MARKUP = re.compile(
    r"\*\*|__|`|<[^>]*>|[¹²³†‡]|\[\^?\w{1,3}\]$|(?<=\d)\*+$"
    r"|[^\x00-ɏͰ-ӿ -⁯←-⇿∀-⋿\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)
_SECONDS = {"ms": 1e-3, "µs": 1e-6, "μs": 1e-6, "us": 1e-6, "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0}
_SUFFIX = {"k": 1e3, "m": 1e6}


class Interval(NamedTuple):
    """All values that a figure may stand for."""

    low: float
    high: float

    def times(self, other: "Interval") -> "Interval":
        """Return the products of two positive intervals."""
        return Interval(self.low * other.low, self.high * other.high)

    def over(self, other: "Interval") -> "Interval":
        """Return the quotients of two positive intervals."""
        return Interval(self.low / max(other.high, 1e-12), self.high / max(other.low, 1e-12))

    def plus(self, amount: float) -> "Interval":
        """Return the interval moved by *amount*."""
        return Interval(self.low + amount, self.high + amount)

    def meets(self, other: "Interval", relative: float = 0.0) -> bool:
        """Return whether the two share a value, once *relative* of it is allowed for noise."""
        slack = relative * max(abs(self.low), abs(self.high), abs(other.low), abs(other.high))
        return self.low - slack <= other.high and other.low - slack <= self.high

    @property
    def middle(self) -> float:
        """The value half way."""
        return (self.low + self.high) / 2


@dataclass(frozen=True)
class Figure:
    """A number, or a range, as printed."""

    low: float
    high: float
    step: float  # the unit of its last digit
    about: bool  # marked as approximate
    unit: str  # lower case, "" if none is given
    text: str
    place: Place
    spread: float = 0.0  # what stands after a plus-minus sign

    @property
    def interval(self) -> Interval:
        """What it may stand for: half a unit of its last digit either way, a whole one if approximate."""
        slack = self.step * (1.0 if self.about else 0.5) + self.spread
        return Interval(self.low - slack, self.high + slack)

    @property
    def is_range(self) -> bool:
        """Whether two ends are given."""
        return self.high > self.low

    def end(self, which: str) -> "Figure":
        """Return one end of the range, `low` or `high`, as a figure of its own."""
        value = getattr(self, which)
        return replace(self, low=value, high=value, text=f"{value:g}")

    def scaled(self, factor: float, unit: str) -> "Figure":
        """Return the same in another unit."""
        return replace(
            self,
            low=self.low * factor,
            high=self.high * factor,
            step=self.step * factor,
            spread=self.spread * factor,
            unit=unit,
        )


def number(text: str) -> tuple[float, float]:
    """Return the value of digits and the unit of the last one; a comma groups thousands or is a point."""
    if re.fullmatch(r"\d{1,3}(,\d{3})+(\.\d+)?", text) and not text.startswith("0"):
        text = text.replace(",", "")
    text = text.replace(",", ".")
    decimals = len(text.partition(".")[2])
    return float(text), 10.0**-decimals


def plain(text: str) -> str:
    """Return *text* without emphasis, tags, footnotes and pictures; LaTeX and wide signs as usual ones."""
    text = text.translate(_WIDE)
    if "\\" in text or "$" in text:
        text = _COMMAND.sub(lambda match: match[2] or _LATEX.get(match[1] or "", ""), text)
    return _MARKUP.sub("", text).strip()


def read_cell(text: str, place: Place) -> Figure | None:
    """Return the figure that fills a cell, or None if the cell is anything else."""
    match = _CELL.match(plain(text))
    if match is None:
        return None
    low, step = number(match["low"])
    high, high_step = number(match["high"]) if match["high"] else (low, step)
    scale = _SUFFIX.get((match["suffix"] or "").lower(), 1.0)
    if match["sign"] in {"-", "−"}:
        low, high = -low, -high if match["high"] is None else high
    unit = (match["unit1"] or match["unit2"] or match["unit3"] or "").lower().replace(" ", "")
    if high < low:
        return None
    spread = number(match["spread"])[0] * scale if match["spread"] else 0.0
    about = match["about"] is not None
    step = max(step, high_step) * scale
    return Figure(low * scale, high * scale, step, about, unit, plain(text), place, spread)


def asides(text: str, place: Place) -> list[Figure]:
    """Return the figures in brackets behind that of a cell, such as the 1.40x of `1728 (1.40x)`."""
    found = (read_cell(match[1], place) for match in re.finditer(r"(?<=.)\(([^()]*)\)", plain(text)))
    return [figure for figure in found if figure is not None and figure.unit]


def seconds(unit: str) -> float | None:
    """Return the seconds in a unit of time, or None if it is none."""
    return _SECONDS.get(unit.partition("/")[0].strip())
