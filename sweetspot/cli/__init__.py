"""The command line: one verb for each rule. A verb reads files, calls one function and writes its outputs.

Each verb imports what it needs itself, so that `run` stays with the standard library and httpx.
"""

import argparse
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from sweetspot.cli import numbers, pages, servers, setup, studies
from sweetspot.errors import SweetspotError, explain


def main(words: Sequence[str] | None = None) -> int:
    """Run one verb; return its status, or 2 after one line about a fault of the input or the machine."""
    arguments = parser().parse_args(words)
    try:
        status: int | None = arguments.verb(arguments)
        sys.stdout.flush()
        return status or 0
    except BrokenPipeError:  # its reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except SweetspotError as error:
        _say(str(error))
        return 2
    except OSError as error:
        if (line := explain(error)) is None:
            raise
        _say(line)
        return 2


def _say(line: str) -> None:
    """Print to standard error; or to a rule's terminal if the disk of its log is full."""
    try:
        print(line, file=sys.stderr, flush=True)
    except OSError:
        print(line, flush=True)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(prog="sweetspot", description="Find the fastest speculative decoding.")
    verbs = top.add_subparsers(required=True, metavar="VERB")

    def add(verb: Callable[[argparse.Namespace], int | None], *paths: str) -> argparse.ArgumentParser:
        words = str(verb.__doc__)
        added = verbs.add_parser(verb.__name__, help=words.splitlines()[0], description=words)
        added.set_defaults(verb=verb)
        for path in paths:
            added.add_argument(f"--{path}", type=Path, required=True)
        return added

    built = add(setup.env, "out")
    built.add_argument("name")
    built.add_argument("--extra-index")
    add(setup.lock).add_argument("names", nargs="*", metavar="NAME")
    planned = add(setup.plan)
    planned.add_argument("--out", type=Path)
    for named in (planned, add(studies.publish)):
        named.add_argument("study", type=Path, nargs="?", default=Path("config.yaml"))
    add(setup.engine, "study", "out").add_argument("name")
    for verb in (setup.models, setup.prompts, setup.preflight):
        add(verb, "study", "out")
    add(setup.host, "out")
    add(numbers.smoke, "study", "record", "out")
    add(setup.node, "out")
    started = [
        add(servers.run, "results", "asked", "node", "target", "draft", "out"),
        add(servers.probe, "asked", "engine", "target", "draft", "out"),
    ]
    started[0].add_argument("--host", required=True, help="the kind of host to measure on, or any")
    for server in started:
        server.add_argument("--start-s", type=float, required=True)
        server.add_argument("--stall-s", type=float, required=True)
    timed = add(servers.allreduce, "asked", "engine", "probe", "out")
    for program in (*started, timed):
        program.add_argument("--python", required=True, help="interpreter of an external engine, or -")
        program.add_argument("--parent", type=int, default=os.getppid(), help="process whose death ends it")
    add(numbers.measure, "run", "plan", "out")
    add(numbers.summarise, "measure", "plan", "out", "apart")
    add(numbers.nccl, "study", "summary", "plan", "out")
    add(pages.banner, "run", "measure", "plan", "out")
    add(numbers.verdict, "summary", "plan", "nccl", "out")
    add(numbers.recheck, "study", "summary", "verdict", "out")
    add(numbers.equality, "plan", "run", "out")
    add(numbers.settle, "study", "equality", "out")
    add(pages.command, "run", "plan", "verdict", "out")
    compared = ("run", "plan", "summary", "nccl", "verdict")
    add(pages.figures, *compared, "out")
    tabled = add(pages.table, *compared, "apart", "markdown", "csv")
    told = add(pages.report, *compared, "apart", "command", "figures", "out")
    for shown in (tabled, told):
        shown.add_argument(
            "--equality", type=Path, nargs="*", default=[], help="of a study with a second stage"
        )
    add(studies.check, "run", "out").add_argument("--plans", type=Path, nargs="+", required=True)
    add(studies.audit).add_argument("file", type=Path, metavar="FILE")
    add(pages.reported, "figures", "statement", "out")
    both = add(studies.compare)
    both.add_argument("a", type=Path, metavar="results/A")
    both.add_argument("b", type=Path, metavar="results/B")
    return top
