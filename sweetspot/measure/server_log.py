"""Reads what a server logged about its decoding: SGLang 0.4 to 0.5.23, and vLLM's metrics of speculation.

Lines are read by their `key: value` pairs, never by position: versions add, drop and reorder them. What
an accept rate divides by is not in the line and has changed between versions, so each row names it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

OF_ALL = "forwards x num_draft_tokens, the bonus token among the accepted"  # SGLang to 0.5.10
OF_DRAFTS = "forwards x (num_draft_tokens - 1)"  # SGLang 0.5.11 up
OF_DRAFTED = "drafted tokens"  # vLLM
UNKNOWN = "unknown"
FIRST_OF_DRAFTS = (0, 5, 11)  # the first SGLang that divides by the drafts

_VERSION = re.compile(r"sglang(?:[- _]?version)?\W{1,4}v?(\d+)\.(\d+)\.(\d+)", re.IGNORECASE)
_DECODE = re.compile(r"Decode batch\s*(?:\[(?P<iteration>\d+)\])?\s*[,.]\s*(?P<pairs>.*)")
_VLLM = re.compile(r"Spec(?:Decoding|ulative) metrics:\s*(?P<pairs>.*)")
_PREFIX = re.compile(r"\[(?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)(?P<ranks>(?: [A-Z]+\d+)*)\]")
_NEXT_PAIR = re.compile(r",\s*(?=[A-Za-z#][^,:]*:(?:\s|$))")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class LogRow:
    """One line about decoding. A None stands for what the line does not tell."""

    engine: str  # sglang or vllm
    line: int  # from 1
    time: str | None
    ranks: dict[str, int]  # TP, DP, EP, PP, ... -> number
    iteration: int | None  # of the forward pass
    fields: dict[str, str]  # every pair as written, those that nothing here knows too
    running_requests: int | None
    tokens_per_s: float | None  # all requests together
    accept_length: float | None  # tokens of one request in a cycle, with the bonus token
    accept_rate: float | None  # 0 to 1
    accept_rate_of: str | None  # what the rate divides by
    by_position: tuple[float, ...]  # share of cycles that accepted draft 1, 2, ...; vLLM alone
    graph: bool | None  # whether a captured graph ran


def read_server_log(text: str, version: str | None = None) -> list[LogRow]:
    """Return a row for each line about decoding, in order.

    Args:
        text: The log.
        version: SGLang's, such as `0.5.10`; if None, the one that the log names, if it names one.
    """
    known = _parse_version(f"sglang {version}" if version else text)
    return list(_rows(text, known))


def _parse_version(text: str) -> tuple[int, ...] | None:
    """Return the first SGLang version in *text*."""
    match = _VERSION.search(text)
    return None if match is None else tuple(int(part) for part in match.groups())


def _rows(text: str, version: tuple[int, ...] | None) -> Iterator[LogRow]:
    """Yield the rows."""
    for number, line in enumerate(text.splitlines(), start=1):
        if match := _DECODE.search(line):
            yield _sglang(line, number, match, version)
        elif match := _VLLM.search(line):
            yield _vllm(line, number, match)


def _sglang(line: str, number: int, match: re.Match[str], version: tuple[int, ...] | None) -> LogRow:
    """Return the row of a `Decode batch` line."""
    fields = _fields(match["pairs"])
    rate = _number(fields.get("accept rate"))
    running = _number(fields.get("#running-req"))
    graph = next((value for key, value in fields.items() if key.endswith(" graph")), None)
    denominator = UNKNOWN if version is None else OF_DRAFTS if version >= FIRST_OF_DRAFTS else OF_ALL
    time, ranks = _prefix(line)
    return LogRow(
        engine="sglang",
        line=number,
        time=time,
        ranks=ranks,
        iteration=None if match["iteration"] is None else int(match["iteration"]),
        fields=fields,
        running_requests=None if running is None else int(running),
        tokens_per_s=_number(fields.get("gen throughput (token/s)")),
        accept_length=_number(fields.get("accept len")),
        accept_rate=rate,
        accept_rate_of=None if rate is None else denominator,
        by_position=(),
        graph=None if graph is None else graph == "True",
    )


def _vllm(line: str, number: int, match: re.Match[str]) -> LogRow:
    """Return the row of a line of vLLM's metrics of speculation."""
    fields = _fields(match["pairs"])
    shares = next((value for key, value in fields.items() if "per-position" in key.lower()), "")
    by_position = tuple(float(share) for share in _NUMBER.findall(shares))
    length = _number(fields.get("Mean acceptance length"))
    if length is None and by_position:
        length = 1 + sum(by_position)
    written = next((value for key, value in fields.items() if "draft acceptance rate" in key.lower()), None)
    rate = _number(written)
    if rate is not None and written is not None and "%" in written:
        rate /= 100
    time, ranks = _prefix(line)
    return LogRow(
        engine="vllm",
        line=number,
        time=time,
        ranks=ranks,
        iteration=None,
        fields=fields,
        running_requests=None,
        tokens_per_s=None,
        accept_length=length,
        accept_rate=rate,
        accept_rate_of=None if rate is None else OF_DRAFTED,
        by_position=by_position,
        graph=None,
    )


def _fields(pairs: str) -> dict[str, str]:
    """Return the pairs of a line; a value may be a list with commas."""
    found = {}
    for pair in _NEXT_PAIR.split(pairs.strip().rstrip(",")):
        key, colon, value = pair.partition(":")
        if colon:
            found[key.strip()] = value.strip()
    return found


def _prefix(line: str) -> tuple[str | None, dict[str, int]]:
    """Return the time and the ranks before a line."""
    match = _PREFIX.search(line)
    if match is None:
        return None, {}
    return match["time"], {name: int(rank) for name, rank in re.findall(r"([A-Z]+)(\d+)", match["ranks"])}


def _number(value: str | None) -> float | None:
    """Return the number that a value begins with, or None."""
    match = _NUMBER.match(value) if value else None
    return None if match is None else float(match.group())
