"""What a server's command line is made of. Standard library only."""

import json
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

from sweetspot.plan.flags import words

LOOPBACK = "127.0.0.1"


def command_line(args: Mapping[str, object]) -> list[str]:
    """Return *args* as SGLang's command line takes them: true is a bare flag, a list several values."""
    return [word for flag, value in args.items() for word in (f"--{flag}", *words(value))]


def write_candidates(candidates: Sequence[int], log: Path) -> Path:
    """Write what SGLang's adaptive mode reads, beside *log*: one entry makes it for all batch sizes."""
    place = log.with_suffix(".steps.json").absolute()
    place.write_text(json.dumps({"1": {"candidate_steps": sorted(candidates)}}))
    return place


def free_port() -> int:
    """Return a port of the loopback interface on which nobody listens now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
    return port
