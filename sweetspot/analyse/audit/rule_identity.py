"""Rules about tokens a cycle: speed x cycle time, the bonus token, the step count. Pure."""

from collections.abc import Iterator, Sequence

from sweetspot.analyse.audit.conventions import NOISE, Reading
from sweetspot.analyse.audit.figures import Figure
from sweetspot.analyse.audit.report import Finding

ABOVE = 0.05  # relative; beyond it more tokens came out than the cycles made
BELOW = 0.10  # relative; below it prefill and gaps between requests no longer explain a slow row
BOUND_SLACK = 1.02  # a server may count prefill's token too


def mixed_convention(table: Sequence[Reading]) -> Iterator[Finding]:
    """One accept length of a table fits speed x cycle time without the bonus token, another with it."""
    included = [reading for reading in table if reading.convention == "included"]
    excluded = [reading for reading in table if reading.convention == "excluded"]
    if not included:
        return
    other = included[0]
    for reading in excluded:
        proof = f"accept length {reading.stated.text} is below 1, and each cycle yields its bonus token"
        if reading.implied is not None and reading.speed is not None and reading.cycle is not None:
            proof = (
                f"{_product(reading)} = {reading.implied.middle:.3f} tokens a cycle, "
                f"which is {reading.stated.text} + 1"
            )
        yield Finding(
            "contradiction",
            "mixed-convention",
            reading.stated.place,
            reading.row.called,
            f"accept length excludes the bonus token here: {proof}; "
            f"{other.stated.text} of {other.row.called} includes it",
            (reading.stated.text, other.stated.text),
            "two conventions in one table; compare "
            f"{reading.stated.low + 1:.3g} with {other.with_bonus.middle:.3g}, bonus included",
        )


def identity(table: Sequence[Reading]) -> Iterator[Finding]:
    """Tokens a cycle must be tokens a second of one request times seconds a cycle."""
    fitting = [
        reading for reading in table if reading.implied and reading.convention in {"included", "excluded"}
    ]
    off = [reading for reading in table if reading.convention == "neither" and reading.implied is not None]
    if not fitting and _one_factor(off):
        return
    for reading in off:
        assert reading.implied is not None
        unknown_batch = reading.row.batch is None and reading.row.kind != "bench_speculative"
        decode = any(item.name.decode for item in reading.row.measured.get("tokens_per_s", []))
        gap = reading.ratio - 1
        if gap > 0:
            certain = bool(fitting) or not unknown_batch or gap < 0.5
            report = gap > ABOVE
        else:
            certain = bool(fitting) or decode or reading.row.kind == "bench_speculative"
            report = -gap > (ABOVE if certain else BELOW)
        if not report:
            continue
        yield Finding(
            "contradiction" if certain else "warning",
            "identity",
            reading.stated.place,
            reading.row.called,
            f"accept length {reading.stated.text}, but {_product(reading)} = {reading.implied.middle:.3g} "
            f"tokens a cycle ({gap:+.0%}); neither with nor without the bonus token do they agree",
            (reading.stated.text, _speed(reading.speed), _cycle(reading.cycle)),
            "figures of different runs, a mislabelled column"
            + (", or several requests in flight that are not mentioned" if unknown_batch and gap > 0 else ""),
        )


def accept_length_bound(table: Sequence[Reading]) -> Iterator[Finding]:
    """A cycle yields at most num_steps drafts and one bonus token."""
    drafts_alone = any(r.convention == "excluded" for r in table) and not any(
        r.convention == "included" for r in table
    )
    for reading in table:
        row = reading.row
        most = row.drafts if row.drafts is not None else row.draft_tokens
        if not most:
            continue
        limit = most if drafts_alone else most + 1
        if (reading.stated.high - reading.stated.step) > limit * BOUND_SLACK:
            what = "drafts a cycle" if drafts_alone else "tokens a cycle, the bonus token included"
            yield Finding(
                "contradiction",
                "accept-length-bound",
                reading.stated.place,
                row.called,
                f"accept length {reading.stated.text} with {most} drafts, expected at most {limit} {what}",
                (reading.stated.text, str(most)),
                "measured at another step count, or the step count is not this row's",
            )


def range_one_end(table: Sequence[Reading], others: Sequence[tuple[str, float]]) -> Iterator[Finding]:
    """A range for one configuration must fit its own speed, and its far end not be another run's figure."""
    for reading in table:
        if not reading.stated.is_range or reading.implied is None or reading.convention != "included":
            continue
        low, high = reading.stated.end("low"), reading.stated.end("high")
        near, far = sorted((low, high), key=lambda end: abs(end.low - reading.implied.middle))  # type: ignore[union-attr]
        fits = reading.implied.meets(near.interval, NOISE)
        misses = abs(far.low / reading.implied.middle - 1)
        if not fits or misses < 3 * NOISE:
            continue
        same = [where for where, value in others if abs(value - far.low) < 0.01 * far.low]
        borrowed = f"; {far.text} is what {same[0]} implies" if same else ""
        yield Finding(
            "contradiction",
            "range-one-end",
            reading.stated.place,
            reading.row.called,
            f"of accept length {reading.stated.text} only {near.text} fits {_product(reading)} = "
            f"{reading.implied.middle:.3f}; {far.text} is {misses:.0%} off{borrowed}",
            (reading.stated.text, _speed(reading.speed), _cycle(reading.cycle)),
            "one end belongs to another run" if same else "a range over runs beside a speed of one of them",
        )


def _one_factor(off: Sequence[Reading]) -> bool:
    """Return whether all rows are off by one and the same factor: requests in flight that are not told."""
    ratios = [reading.ratio for reading in off]
    return len(ratios) > 1 and min(ratios) > 1.5 and max(ratios) / min(ratios) < 1.1


def _product(reading: Reading) -> str:
    """Return the product as it can be checked by hand."""
    assert reading.speed is not None and reading.cycle is not None
    shared = f" / {reading.requests} requests" if reading.requests > 1 else ""
    return f"{_speed(reading.speed)}{shared} x {_cycle(reading.cycle)}"


def _speed(figure: Figure | None) -> str:
    """Return a speed as printed; a time per token as its reciprocal."""
    if figure is None:
        return ""
    if figure.unit == "s":
        return f"1 token / {figure.low * 1000:g} ms"
    return figure.text if "/s" in figure.text else f"{figure.text} tok/s"


def _cycle(figure: Figure | None) -> str:
    """Return a cycle's time in milliseconds; cycles a second as their reciprocal."""
    if figure is None:
        return ""
    return f"{figure.low * 1000:g} ms" if figure.unit == "s" else f"1 s / {figure.text} cycles"
