"""Asks a server whose timed passes are over for a trace of each variant. No number is taken."""

import sys
from pathlib import Path

import httpx

from sweetspot.engine.sglang import Server
from sweetspot.errors import EngineError
from sweetspot.run.job import Job
from sweetspot.run.passes import switch_to

CYCLES = 5  # traced of each stage: of prefills, of decode
UNTRACED = 3  # cycles more, for the profiler to stop in


def trace_all(job: Job, server: Server, folder: Path) -> None:
    """Write traces of each variant of *job* to a folder of its own in *folder*.

    The launch was measured by then, so a trace that fails is a line in the log and no failure.

    Args:
        job: What was measured.
        server: Of the launch, at rest.
        folder: In which SGLang writes `VARIANT/*-EXTEND.trace.json.gz` and `VARIANT/*-DECODE.trace.json.gz`,
            for each rank.
    """
    for variant in job.launch["variants"]:
        place = (folder / variant).absolute()
        place.mkdir(parents=True)
        try:
            switch_to(variant, job, server)
            _trace(job, server, place, (CYCLES + UNTRACED) * (job.steps[variant] + 1))
        except (httpx.HTTPError, EngineError) as error:
            _say(variant, str(server.explain(error)))
            return
        if not any(place.iterdir()):
            _say(variant, f"{place} is empty, expected SGLang's files")


def _trace(job: Job, server: Server, place: Path, tokens: int) -> None:
    server.flush_cache()
    server.start_profile(place, CYCLES)
    sampling = {**job.workload["generation"], "max_new_tokens": tokens, "ignore_eos": True}
    body = {"input_ids": job.prompts[0]["input_ids"], "sampling_params": sampling}
    # a trace is written as slowly as a server starts
    server.generate(body, job.workload["limits"]["start_s"])


def _say(variant: str, fault: str) -> None:
    print(f"{variant}: no trace: {fault}", file=sys.stderr, flush=True)
