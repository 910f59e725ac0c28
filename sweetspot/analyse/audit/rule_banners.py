"""Rules about the profiler's banner: its speed, its accept length, the sum and shares of its phases. Pure."""

from collections.abc import Iterator, Sequence

from sweetspot.analyse.audit.banners import Banner
from sweetspot.analyse.audit.conventions import NOISE
from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.figures import Figure, Interval
from sweetspot.analyse.audit.report import Finding


def banner_speed(facts: Facts) -> Iterator[Finding]:
    """A banner's speed must count the bonus token of each cycle too."""
    for banner in facts.banners:
        if banner.tokens_per_s is None or banner.total is None:
            continue
        seconds = banner.total.scaled(banner.cycles * 1e-3, "s").interval
        drafts, both = (Interval(n, n).over(seconds) for n in (banner.tokens, banner.tokens + banner.cycles))
        if banner.tokens_per_s.interval.meets(both, NOISE / 3):
            continue
        without = banner.tokens_per_s.interval.meets(drafts, NOISE / 3)
        if without and not _drafts_alone(banner):
            continue
        agree = _agreeing(facts, both)
        sums = (
            f"({banner.tokens} + {banner.cycles}) / ({banner.cycles} x {banner.total.text} ms) = "
            f"{both.middle:.1f}"
        )
        yield Finding(
            "contradiction",
            "banner-speed",
            banner.tokens_per_s.place,
            f"banner {banner.number}",
            f"Eff tok/s {banner.tokens_per_s.text} forgets the {banner.cycles} bonus tokens: {sums}{agree}"
            if without
            else f"Eff tok/s {banner.tokens_per_s.text} fits neither {banner.tokens} tokens nor {sums}",
            (banner.tokens_per_s.text, str(banner.tokens), str(banner.cycles), banner.total.text),
            "the profiler counts accepted drafts and calls them tokens" if without else "figures of two runs",
        )


def banner_accept_length(facts: Facts) -> Iterator[Finding]:
    """A banner's accept length must be its tokens over its cycles, with or without the bonus token."""
    for banner in facts.banners:
        if banner.accept_length is None:
            continue
        drafts = banner.tokens / banner.cycles
        stated = banner.accept_length.interval
        slack = banner.accept_length.step / 2
        if any(stated.meets(Interval(v - slack, v + slack)) for v in (drafts, drafts + 1)):
            continue
        yield Finding(
            "contradiction",
            "banner-accept-length",
            banner.accept_length.place,
            f"banner {banner.number}",
            f"accept length {banner.accept_length.text}, but {banner.tokens} / {banner.cycles} = "
            f"{drafts:.4g}, "
            f"and {drafts + 1:.4g} with the bonus token",
            (banner.accept_length.text, str(banner.tokens), str(banner.cycles)),
            "counts and quotient come from different windows",
        )


def banner_phases(facts: Facts) -> Iterator[Finding]:
    """The phases of a banner must add up to its total, and each share must be its phase's."""
    for banner in facts.banners:
        if banner.total is None or not banner.phases:
            continue
        yield from _sum(banner, [phase.time for phase in banner.phases], banner.total, "ms")
        shares = [phase.share for phase in banner.phases if phase.share is not None]
        if len(shares) == len(banner.phases):
            whole = Figure(100, 100, 0, False, "%", "100", banner.total.place)
            yield from _sum(banner, shares, whole, "%")
        for phase in banner.phases:
            if phase.share is None:
                continue
            ratio = phase.time.interval.over(banner.total.interval)
            if not phase.share.interval.meets(Interval(100 * ratio.low - 0.05, 100 * ratio.high + 0.05)):
                yield Finding(
                    "contradiction",
                    "banner-phases",
                    phase.share.place,
                    f"banner {banner.number}, {phase.name}",
                    f"{phase.time.text} of {banner.total.text} ms is {100 * ratio.middle:.1f} %, "
                    f"stated {phase.share.text} %",
                    (phase.time.text, banner.total.text, phase.share.text),
                    "edited by hand, or figures of two runs",
                )


def _sum(banner: Banner, parts: Sequence[Figure], whole: Figure, unit: str) -> Iterator[Finding]:
    """Yield a finding if the parts miss the whole by more than all roundings together."""
    low, high = sum(p.interval.low for p in parts), sum(p.interval.high for p in parts)
    slack = 1e-9 * whole.high
    if low - slack <= whole.interval.high and whole.interval.low <= high + slack:
        return
    yield Finding(
        "contradiction",
        "banner-phases",
        whole.place,
        f"banner {banner.number}",
        f"the phases add up to {sum(p.low for p in parts):.4g} {unit}, stated {whole.text} {unit}",
        (*(part.text for part in parts), whole.text),
        "a phase is missing or counted twice",
    )


def _drafts_alone(banner: Banner) -> bool:
    """Return whether the banner's tokens can only be accepted drafts: each cycle yields a token besides."""
    length = banner.accept_length
    with_bonus = length is not None and length.interval.meets(
        Interval(banner.tokens / banner.cycles + 1, banner.tokens / banner.cycles + 1), 0.005
    )
    return banner.tokens < banner.cycles or with_bonus


def _agreeing(facts: Facts, speed: Interval) -> str:
    """Return a mention of a speed in prose or a table that the corrected one agrees with."""
    rows = [item.figure for row in facts.rows for item in row.measured.get("tokens_per_s", [])]
    for figure in [*(said.speed for said in facts.said if said.num_steps is not None), *rows]:
        if figure.interval.meets(speed, 0.02):
            return f", and {figure.text} tok/s was measured"
    return ""
