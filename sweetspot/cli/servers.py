"""The verbs that start servers or GPU programs, and end with whoever called them."""

import argparse
import signal
import sys
from pathlib import Path
from typing import Any

from sweetspot.cli.files import read_json


def run(arguments: argparse.Namespace) -> None:
    """Measure one launch in one round. A launch that fails is recorded as such."""
    from sweetspot.host import node
    from sweetspot.host.facts import facts, fingerprint
    from sweetspot.run.job import Places
    from sweetspot.run.runner import run

    _end_with(arguments.parent)
    asked = read_json(arguments.asked, "launch", "round", "attempt", "identity")
    places = Places(_folders(arguments), _interpreter(arguments.python))
    node.check(arguments.node, fingerprint(facts()), arguments.host)
    run(arguments.results, asked, _limits(arguments), places, arguments.out)


def probe(arguments: argparse.Namespace) -> None:
    """Start the server once under an NCCL variant, and keep what NCCL says of it."""
    from sweetspot.run.job import engine_of
    from sweetspot.run.probe import probe

    _end_with(arguments.parent)
    engine = engine_of(
        read_json(arguments.engine, "name", "packages")["name"], _interpreter(arguments.python)
    )
    probe(_probe(arguments.asked), engine, _folders(arguments), _limits(arguments), arguments.out)


def allreduce(arguments: argparse.Namespace) -> None:
    """Time bare all-reduces of a study's sizes under an NCCL variant."""
    from sweetspot.run.allreduce import allreduce
    from sweetspot.run.job import engine_of

    _end_with(arguments.parent)
    installed = read_json(arguments.engine, "name", "packages")
    engine = engine_of(installed["name"], _interpreter(arguments.python))
    asked, probed = _probe(arguments.asked), read_json(arguments.probe, "target", "messages")
    allreduce(asked, probed, engine, installed["packages"]["sglang"], arguments.out)


def _probe(path: Path) -> Any:  # noqa: ANN401  any JSON
    """Return what is asked of the probe of an NCCL variant."""
    return read_json(path, "nccl", "args", "env", "draft_tokens", "loads", "skip")


def _folders(arguments: argparse.Namespace) -> dict[str, Path]:
    return {"target": arguments.target, "draft": arguments.draft}


def _limits(arguments: argparse.Namespace) -> dict[str, float]:
    return {"start_s": arguments.start_s, "stall_s": arguments.stall_s}


def _interpreter(word: str) -> Path | None:
    """Return the interpreter of an external engine, which is `-` for any other."""
    return None if word == "-" else Path(word)


def _end_with(parent: int) -> None:
    """End in order when told to, and when the process *parent* dies: a killed Snakemake takes it along."""
    from sweetspot.engine.keeper import die_with_parent

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, frame: sys.exit(128 + received))
    die_with_parent(signal.SIGTERM, parent)
