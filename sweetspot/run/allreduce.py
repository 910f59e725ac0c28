"""Turns an NCCL variant into times of bare all-reduces, in the sizes of its study, as SGLang would have NCCL.

Nothing is computed here: the record holds each replay. One that fails or hangs is recorded as such, with the
sizes before; so is one for which there is nothing to time, with the reason. Nothing of it runs on afterwards.
"""

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from sweetspot.engine import environment
from sweetspot.engine.base import PACKAGE, Engine
from sweetspot.engine.process import ServerProcess
from sweetspot.engine.redact import Redactor
from sweetspot.plan.rewrites import server_env
from sweetspot.run.lock import host_lock
from sweetspot.run.probe import DEBUG, keep_logs
from sweetspot.run.record import write

FORMAT = 1
_HOW = {"in-a-replay": 100, "replays": 100, "warm-up": 100}
LIMIT_S = 300.0  # for all sizes
POLL_S = 0.1
_PROGRAM = PACKAGE / "engine" / "allreduce.py"


def allreduce(asked: dict[str, Any], probe: dict[str, Any], engine: Engine, sglang: str, out: Path) -> None:
    """Time the all-reduces of one NCCL variant, and write `allreduce.json` and `nccl.log.gz` beside it.

    Args:
        asked: `nccl`, `args`, `env` and `skip`, as a `Probe` has them.
        probe: What the probe of this variant recorded: its messages.
        engine: Whose Python has torch.
        sglang: Version of its SGLang.
        out: The file `allreduce.json`.
    """
    skip = asked["skip"] or _why_not(probe, engine)
    record: dict[str, Any] = {
        "format": FORMAT,
        "nccl": asked["nccl"],
        "status": "skipped" if skip else "complete",
        "reason": skip,
        "env": server_env(asked["args"], asked["env"], sglang),
        "timed": None,
    }
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        if not skip:
            environment.check_inherited(os.environ, record["env"])
            with host_lock() as held:
                record |= _run(_words(asked["args"], probe, engine), record["env"], scratch, held)
        keep_logs(scratch, "nccl.*.log", out.with_name("nccl.log.gz"))
    write(Redactor().data(record), out)


def _why_not(probe: dict[str, Any], engine: Engine) -> str | None:
    if engine.name == "fake":
        return "the stand-in has no torch"
    return None if probe["messages"] else f"the probe told no message sizes: {probe['reason']}"


def _words(args: dict[str, Any], probe: dict[str, Any], engine: Engine) -> list[str]:
    """Return the program's command line, but for where it writes."""
    options: dict[str, Any] = {"ranks": args["tp-size"], "device": "cuda", "dtype": probe["target"]["dtype"]}
    words = [str(word) for name, value in (options | _HOW).items() for word in (f"--{name}", value)]
    sizes = sorted({message["bytes"] for message in probe["messages"]})
    program = [str(engine.python), "-P", str(_PROGRAM)]  # -P: no module beside it counts
    return [*program, *words, "--bytes", *map(str, sizes)]


def _run(words: list[str], env: dict[str, str], scratch: Path, held: int) -> dict[str, Any]:
    """Run the program, with NCCL told to say what it chooses, and return what to record of it."""
    times = scratch / "times.json"
    variables = environment.inherited() | env | DEBUG | {"NCCL_DEBUG_FILE": str(scratch / "nccl.%p.log")}
    until = time.monotonic() + LIMIT_S
    with ServerProcess(
        [*words, "--out", str(times)], variables, scratch / "log", Redactor(), (held,)
    ) as program:
        while (status := program.exit_status()) is None and time.monotonic() < until:
            time.sleep(POLL_S)
    found: dict[str, Any] = {"timed": json.loads(times.read_text()) if times.exists() else None}
    if status == 0:
        return found
    ended = f"not done after {LIMIT_S:g} s" if status is None else f"ended with status {status}"
    words_of_it = program.last_words()
    return found | {
        "status": "failed",
        "reason": f"{ended}; its last words: {words_of_it[-1] if words_of_it else 'none'}",
        "last_words": words_of_it,
    }
