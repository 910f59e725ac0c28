"""NCCL variants that are made up: a model of two layers, a verify of three tokens, and NCCL's lines."""

from typing import Any

from sweetspot.analyse.nccl_probed import Probed

BASELINE, VERIFY = 128, 384  # bytes
MESSAGES = [
    {"draft_tokens": 1, "load": 1, "rows": 1, "bytes": BASELINE},
    {"draft_tokens": 3, "load": 1, "rows": 3, "bytes": VERIFY},
]
CHOSEN = "vm:1:1 [0] NCCL INFO AllReduce: {} Bytes -> Algo {} proto {} channel{{Lo..Hi}}={{0..{}}}"


def lines(
    size: int, algorithm: str = "RING", protocol: str = "LL", *, channels: int = 2, count: int = 5
) -> list[str]:
    """Return NCCL's lines for *count* all-reduces."""
    return [CHOSEN.format(size, algorithm, protocol, channels - 1)] * count


def echo(name: str, value: str) -> str:
    """Return NCCL's line for a variable that it read."""
    return f"vm:1:1 [0] NCCL INFO {name} set by environment to {value}"


def timed(seconds: dict[int, float], right: bool = True) -> dict[str, Any]:
    """Return a record of bare all-reduces that took so long, by size."""
    sizes = [
        {"bytes": size, "sum_is_right": right, "replay_s": [0.9 * 10 * took, 10 * took, 1.1 * 10 * took]}
        for size, took in seconds.items()
    ]
    return {"timed": {"all_reduces_a_replay": 10, "sizes": sizes}}


def probed(
    log: list[str] | None = None,
    env: dict[str, str] | None = None,
    *,
    args: dict[str, Any] | None = None,
    status: str = "complete",
    resolved: dict[str, Any] | None = None,
    said: list[str] | None = None,
    bare: dict[str, Any] | None = None,
    bare_log: list[str] | None = None,
) -> Probed:
    """Return an NCCL variant whose server wrote *log*: by default a ring with LL for both messages."""
    started = status == "complete"
    record = {
        "status": status,
        "reason": None if started else "made up",
        "env": env or {},
        "args": {"disable-custom-all-reduce": True} if args is None else args,
        "target": {"layers": 2} if started else None,
        "messages": MESSAGES if started else [],
        "server": {"resolved": resolved or {}},
    }
    written = lines(BASELINE) + lines(VERIFY) if log is None else log
    return Probed.read(record, written if started else [], said or [], bare, bare_log or [])
