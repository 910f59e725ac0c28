"""Turns one launch of a plan into its record: one server start, its passes in shuffled order, what came back.

Nothing is computed here, and nothing that was measured is lost: a launch that fails leaves a record too,
with the passes before the failure and the server's last words. A run that is interrupted leaves none.
"""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from sweetspot.engine.redact import Redactor
from sweetspot.engine.sglang import Server
from sweetspot.errors import EngineError
from sweetspot.host import gpus
from sweetspot.run.cycles import (
    Cycles,
    collect,
    gzipped,
    mistimed,
    raw_files,
    wait_until_written,
    write_cycles,
)
from sweetspot.run.job import Job, Places, read_job
from sweetspot.run.lock import host_lock
from sweetspot.run.outcomes import hopeless
from sweetspot.run.passes import send_all
from sweetspot.run.record import FORMAT, write
from sweetspot.run.trace import trace_all


def run(study: Path, asked: dict[str, Any], limits: dict[str, float], places: Places, out: Path) -> None:
    """Measure one launch in one round and write its record, and beside it what else was seen.

    Args:
        study: The study's folder in `results/`.
        asked: `launch` (an id of the plan), `round`, `attempt` (failures before this one), and `identity`
            (what decides whether the record is still of the study).
        limits: `start_s` and `stall_s`, in seconds.
        places: Where the models and an external engine's interpreter lie.
        out: The record; `outcome.json`, `cycles.jsonl.gz` and `server.log.gz` are written beside it.
    """
    log = study / "logs" / "run" / asked["launch"] / f"{asked['round']}.server.log"
    given_up = hopeless(out, asked["attempt"])
    record = measure(read_job(study, asked, limits, places), out, log, given_up)
    outcome = {"attempt": asked["attempt"], "status": record["status"], "failure": record["failure"]}
    write(outcome, out.with_name("outcome.json"))


def measure(job: Job, out: Path, log: Path, given_up: EngineError | None = None) -> dict[str, Any]:
    """Measure *job* alone on this host, write its record, and return it.

    Args:
        job: What to measure.
        out: The record; `cycles.jsonl.gz` and `server.log.gz` are written beside it.
        log: The server's output as it comes.
        given_up: Why nothing is started after all, None if it is.
    """
    record: dict[str, Any] = {
        "format": FORMAT,
        "status": "complete",
        "failure": None,
        **Redactor().data(job.facts | {"launch": job.launch}),  # not the passes: packed lists are no text
        "round": job.round,
        "started_at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "server": {},
        "workload": job.workload,
        "outputs": {},
        "passes": [],
        "reference": [],
    }
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_bytes(b"")
    out.parent.mkdir(parents=True, exist_ok=True)
    timer = None if job.workload["profile"] == "none" else log.with_suffix(".cycles").absolute()
    for stale in raw_files(timer) if timer else []:
        stale.unlink()
    cycles = Cycles(None, [])
    traces = out.with_name("trace")
    shutil.rmtree(traces, ignore_errors=True)  # of an earlier start
    with host_lock() as held:
        if job.facts["engine"]["name"] != "fake" and job.launch["args"].get("device") != "cpu":
            gpus.check(job.launch["args"], os.environ | job.launch["env"])
        server = Server(
            job.engine,
            job.folders,
            job.launch["args"],
            job.launch["env"],
            log,
            job.workload["limits"]["start_s"],
            (held,),
            candidates=job.launch["candidates"],
            cycles=timer,
        )
        try:
            if given_up:
                raise given_up
            with server, _explained(server):
                record["server"]["resolved"] = server.resolved()
                send_all(job, server, record)
                if timer:
                    timed = [p for p in record["passes"] if p["variant"] not in job.untimed]
                    wait_until_written(timer, timed)
                if job.workload["profile"] == "trace":
                    trace_all(job, server, traces)
        except EngineError as error:
            _fail(record, error, server)
    if timer:
        try:
            cycles = collect(timer, [(p["began_us"], p["ended_us"]) for p in record["passes"]])
            if job.untimed and (fault := mistimed(cycles, record["passes"], job.untimed)):
                raise EngineError(f"the timer: {fault}; remove it from `controls`", "untimed")
        except EngineError as error:
            if record["status"] == "complete":  # a server that failed may have made no cycle
                _fail(record, error, server)
    record["server"] |= {
        "command": server.command,
        "env": server.environment,
        "start_s": server.start_s,
        "stop_s": server.stop_s,
    }
    write_cycles(cycles, out.with_name("cycles.jsonl.gz"))
    with log.open("rb") as plain, gzipped(out.with_name("server.log.gz")) as packed:
        shutil.copyfileobj(plain, packed)
    write(record, out)
    return record


def _fail(record: dict[str, Any], error: EngineError, server: Server) -> None:
    """Note in *record* that the launch failed, and the server's last words."""
    record["status"] = "failed"
    record["failure"] = {
        "kind": error.kind,
        "message": server.redact(str(error)),
        "last_words": server.last_words(),
    }


@contextmanager
def _explained(server: Server) -> Iterator[None]:
    """Turn whatever breaks while requests are sent and read into the failure that lies behind it."""
    try:
        yield
    except (httpx.HTTPError, EngineError) as error:
        raise server.explain(error) from error
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise EngineError(
            f"an answer: {error!r}, expected one of SGLang's; see the server's last words", "bad_answer"
        ) from error
