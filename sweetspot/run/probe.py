"""Turns an NCCL variant into what NCCL says of it: one short start of the server, never a timed one.

A probe that fails is recorded as such. So is one for which there is nothing to start, with the reason.
"""

import json
import tempfile
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from sweetspot.engine.base import Engine
from sweetspot.engine.redact import Redactor
from sweetspot.engine.sglang import Server
from sweetspot.errors import EngineError, ModelError
from sweetspot.plan.messages import graph_sizes, messages, shape
from sweetspot.run.client import send_pass
from sweetspot.run.cycles import gzipped
from sweetspot.run.lock import host_lock
from sweetspot.run.record import write

FORMAT = 1
DEBUG = {"NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,ENV,TUNING"}
_ANSWER: dict[str, int] = {"max_new_tokens": 8, "ignore_eos": True, "temperature": 0}
_LONGEST = 2048  # tokens of a prompt, where the study sets no context-length


def probe(
    asked: dict[str, Any], engine: Engine, folders: dict[str, Path], limits: dict[str, float], out: Path
) -> None:
    """Probe one NCCL variant and write `probe.json`, with `nccl.log.gz` and `server.log.gz` beside it.

    Args:
        asked: `nccl`, `args`, `env`, `draft_tokens`, `loads` and `skip`, as a `Probe` has them.
        engine: What serves.
        folders: Of the target and the draft.
        limits: `start_s` and `stall_s`, in seconds.
        out: The file `probe.json`.
    """
    record: dict[str, Any] = {
        "format": FORMAT,
        **{key: asked[key] for key in ("nccl", "args", "env")},
        "status": "skipped" if asked["skip"] else "complete",
        "reason": asked["skip"],
        "target": None,
        "messages": [],
        "server": {},
    }
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        if not asked["skip"]:
            try:
                _start(asked, engine, folders, limits, record, scratch)
            except ModelError as error:  # a target of unknown size is served all the same
                record |= {"status": "failed", "reason": str(error)}
        out.parent.mkdir(parents=True, exist_ok=True)
        keep_logs(scratch, "nccl.*.log", out.with_name("nccl.log.gz"))
        keep_logs(scratch, "server.log", out.with_name("server.log.gz"))
    write(Redactor().data(record), out)


def keep_logs(scratch: Path, names: str, out: Path) -> None:
    """Write the logs in *scratch* one after the other to *out*, without the host's and the user's name.

    Args:
        scratch: A folder.
        names: Pattern of the logs' names; none need be there.
        out: A .gz file.
    """
    text = "".join(log.read_text(errors="replace") for log in sorted(scratch.glob(names)))
    with gzipped(out) as packed:
        packed.write(Redactor().text(text).encode())


def _start(
    asked: dict[str, Any],
    engine: Engine,
    folders: dict[str, Path],
    limits: dict[str, float],
    record: dict[str, Any],
    scratch: Path,
) -> None:
    """Start the server, ask it for the study's messages, and add what came of it to *record*."""
    config = json.loads((folders["target"] / "config.json").read_text())
    of = shape(config, asked["args"].get("dtype"))
    record["target"] = {"hidden_size": of.hidden_size, "layers": of.layers, "dtype": of.dtype}
    env = asked["env"] | DEBUG | {"NCCL_DEBUG_FILE": str(scratch / "nccl.%p.log")}
    log = scratch / "server.log"
    with host_lock() as held:
        server = Server(engine, folders, asked["args"], env, log, limits["start_s"], (held,))
        try:
            with server:
                record["server"]["resolved"] = server.resolved()
                sent = messages(
                    of, asked["draft_tokens"], asked["loads"], graph_sizes(record["server"]["resolved"])
                )
                record["messages"] = [asdict(message) for message in sent]
                longest = int(asked["args"].get("context-length", _LONGEST)) - _ANSWER["max_new_tokens"]
                verified = {m.rows for m in sent if m.draft_tokens == max(asked["draft_tokens"])}
                rows = {message.rows for message in sent if message.rows <= longest} - verified
                _ask(server, sorted(rows), verified, asked["loads"], limits["stall_s"])
        except (EngineError, httpx.HTTPError) as error:
            record |= {"status": "failed", "reason": server.redact(str(error) or repr(error))}
            record["last_words"] = server.last_words()
    record["server"] |= {
        "command": server.command,
        "env": server.environment,
        "start_s": server.start_s,
    }


def _ask(server: Server, rows: list[int], verified: set[int], loads: list[int], stall_s: float) -> None:
    """Make the study's messages: a prompt as long as each has rows, then each load.

    No prompt has as many tokens as one of this server's own verifies, whose lines are then of verifies alone.
    """
    for length in rows:
        send_pass(server.url, server.headers, [_prompt(length)], 1, _ANSWER, stall_s)
    for load in loads:
        length = next(length for length in count(2) if length not in verified)
        send_pass(server.url, server.headers, [_prompt(length)] * load, load, _ANSWER, stall_s)


def _prompt(length: int) -> dict[str, Any]:
    return {"id": f"{length} tokens", "input_ids": [1 + i % 64 for i in range(length)]}
