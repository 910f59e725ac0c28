"""Which of several machines this is, and whether a run belongs on it. Standard library only."""

import hashlib
import os
import socket
from pathlib import Path

from sweetspot.errors import RunError
from sweetspot.plan.json_file import read_json

ANY = "any"  # host: no particular kind is asked for


def name() -> str:
    """Return what SLURM calls this machine, or what it calls itself where SLURM started nothing."""
    return os.environ.get("SLURMD_NODENAME") or socket.gethostname().partition(".")[0]


def label(node: str) -> str:
    """Return six hexadecimal digits that tell *node* from others in a record, without its name."""
    return hashlib.sha256(f"sweetspot node {node}".encode()).hexdigest()[:6]


def check(bound: Path, found: str, asked: str) -> None:
    """Raise unless a run of a round may be measured here.

    Args:
        bound: `plan/node/ROUND.json` of the study; no file if it may run anywhere.
        found: Fingerprint of this host.
        asked: The one that the profile names, or `any`.

    Raises:
        RunError: If the round began on another node, or this is another kind of host.
    """
    if asked not in (ANY, found):
        raise RunError(
            f"host: {found}, expected {asked} as the profile names it; ask for such, or correct the name"
        )
    if not bound.exists():
        return
    began = read_json(bound, "name")["name"]
    if name() != began:
        raise RunError(
            f"{bound}: this is {name()}, expected {began}, where the round began, since speeds of two nodes "
            f"are not compared; go on there, or measure all of the round with `snakemake --forcerun {bound}`"
        )
