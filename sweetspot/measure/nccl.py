"""Reads what NCCL wrote of itself: the algorithm and protocol of each size, the variables it saw. Pure.

The formats are those of NCCL 2.27 to 2.30. Only a communicator's first rank says what it chose, and inside a
CUDA graph only when that is recorded.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sweetspot.plan.nccl_lists import allowed

_CHOSEN = re.compile(
    r"NCCL INFO AllReduce: (\d+) Bytes -> Algo (\w+) proto (\w+) channel\{Lo\.\.Hi\}=\{(\d+)\.\.(\d+)\}"
)
_ECHO = re.compile(r"(NCCL_[A-Z0-9_]+) set by environment to (.*?)\.?\s*$")
_INTEGER = re.compile(r"[+-]?(0x[0-9a-fA-F]+|0|[1-9]\d*)")
_TRANSPORT = re.compile(r"NCCL INFO Channel .* via (\S+(?: pointer)?)")
_VERSION = re.compile(r"NCCL version (\d+\.\d+\.\d+)")
_OVERHEARD = re.compile(r"all[-_ ]?reduce", re.IGNORECASE)
_ARGUMENTS = "server_args="


class Choice(NamedTuple):
    """How NCCL does one all-reduce."""

    algorithm: str  # as NCCL writes it: RING
    protocol: str
    channels: int


@dataclass
class NcclLog:
    """What the processes of one server, or of one benchmark, wrote."""

    version: str | None = None
    echoes: dict[str, set[str]] = field(default_factory=dict)  # variable: the values that NCCL saw
    transports: set[str] = field(default_factory=set)  # `P2P/IPC`, `SHM/direct/direct`
    all_reduces: dict[int, Counter[Choice]] = field(default_factory=dict)  # bytes: how often which


def read_nccl_log(lines: Iterable[str]) -> NcclLog:
    """Return what *lines* of NCCL's log say, whatever stands between them."""
    log = NcclLog()
    for line in lines:
        if chosen := _CHOSEN.search(line):
            size, algorithm, protocol, low, high = chosen.groups()
            choice = Choice(algorithm, protocol, int(high) - int(low) + 1)
            log.all_reduces.setdefault(int(size), Counter())[choice] += 1
        elif echo := _ECHO.search(line):
            log.echoes.setdefault(echo[1], set()).add(echo[2])
        elif transport := _TRANSPORT.search(line):
            log.transports.add(transport[1])
        elif found := _VERSION.search(line):
            log.version = found[1]
    return log


def overheard(server_log: Iterable[str]) -> list[str]:
    """Return the server's own lines on all-reduces, each once."""
    lines = (line.strip() for line in server_log if _OVERHEARD.search(line) and _ARGUMENTS not in line)
    return list(dict.fromkeys(lines))


def obeys(environment: Mapping[str, str], choice: Choice) -> bool:
    """Return whether NCCL_ALGO and NCCL_PROTO of *environment* leave *choice* to an all-reduce."""
    algorithms, protocols = allowed(environment, "AllReduce")
    return _plain(choice.algorithm) in map(_plain, algorithms) and _plain(choice.protocol) in map(
        _plain, protocols
    )


def overwritten(environment: Mapping[str, str], log: NcclLog) -> dict[str, str]:
    """Return the variables of *environment* that NCCL saw at another value, and that value."""
    return {
        name: other
        for name, value in environment.items()
        for other in sorted(log.echoes.get(name, set()))
        if _meant(other) != _meant(value)
    }


def _plain(name: str) -> str:
    """Return `NVLSTREE` for both NVLS_TREE, as NCCL writes it, and NVLSTree, as it reads it."""
    return name.replace("_", "").upper()


def _meant(value: str) -> str | int:
    """Return *value* as NCCL compares it: numbers by their value, words in any case."""
    return int(value, 0) if _INTEGER.fullmatch(value) else value.upper()
