"""Turns an NCCL variant into times of bare all-reduces, in the sizes of its study, as SGLang would have NCCL.

Nothing is computed here: the record holds each replay. One that fails is recorded as such, as is one for
which there is nothing to time, with the reason.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from sweetspot.engine import environment
from sweetspot.engine.base import PACKAGE, Engine
from sweetspot.engine.process import LAST_WORDS
from sweetspot.engine.redact import Redactor
from sweetspot.plan.rewrites import server_env
from sweetspot.run.lock import host_lock
from sweetspot.run.probe import DEBUG, keep_logs
from sweetspot.run.record import write

FORMAT = 1
_HOW = {"in-a-replay": 100, "replays": 100, "warm-up": 100}
_LIMIT_S = 300.0
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
            with host_lock():
                try:
                    record["timed"] = _timed(asked["args"], probe, record["env"], engine, scratch)
                except (subprocess.SubprocessError, OSError) as error:
                    said = str(getattr(error, "stderr", "") or "").strip().splitlines()
                    reason = said[-1] if said else str(error)
                    record |= {"status": "failed", "reason": reason, "last_words": said[-LAST_WORDS:]}
        keep_logs(scratch, "nccl.*.log", out.with_name("nccl.log.gz"))
    write(Redactor().data(record), out)


def _why_not(probe: dict[str, Any], engine: Engine) -> str | None:
    if engine.name == "fake":
        return "the stand-in has no torch"
    return None if probe["messages"] else f"the probe told no message sizes: {probe['reason']}"


def _timed(
    args: dict[str, Any], probe: dict[str, Any], env: dict[str, str], engine: Engine, scratch: Path
) -> dict[str, Any]:
    """Run the program on the engine's Python, with NCCL told to say what it chooses."""
    sizes = sorted({message["bytes"] for message in probe["messages"]})
    options: dict[str, Any] = {"ranks": args["tp-size"], "device": "cuda", "dtype": probe["target"]["dtype"]}
    options |= _HOW | {"out": scratch / "times.json"}
    words = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    variables = environment.inherited() | env | DEBUG | {"NCCL_DEBUG_FILE": str(scratch / "nccl.%p.log")}
    environment.check_inherited(os.environ, env)
    program: list[str | Path] = [engine.python, "-P", _PROGRAM]  # -P: no module beside it counts
    subprocess.run(
        [*program, *words, "--bytes", *map(str, sizes)],
        env=variables,
        check=True,
        capture_output=True,
        text=True,
        timeout=_LIMIT_S,
    )
    found: dict[str, Any] = json.loads((scratch / "times.json").read_text())
    return found
