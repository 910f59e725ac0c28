"""What launches will cost, by a simple model of their engine. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sweetspot.plan.document import Estimate, Launch, Workload


@dataclass(frozen=True)
class _Speed:
    start_s: float  # until the server is healthy
    token_s: float  # of one request's decode


# ASSUME: a tiny model on a few cores, as SGLang 0.5.23 ran on two.
_CPU = _Speed(start_s=20.0, token_s=1 / 200)
_GPU_TOKEN_S = 1 / 100  # ASSUME: a large model on its GPUs
_PATIENCE = 2  # ASSUME: a study of GPUs waits for a start twice as long as it takes
# ASSUME: the stand-in makes its tokens up as fast as it can.
_FAKE = _Speed(start_s=1.0, token_s=1 / 5000)
# ASSUME: a prompts file has about this many, and as many as the largest load; the plan does not open it.
_PROMPTS = 8
# ASSUME: what bare all-reduces of a study's sizes take, most of it the start of their processes.
_ALL_REDUCES_S = 30.0


def estimate(launches: Sequence[Launch], rounds: int, workload: Workload, engine: str) -> Estimate:
    """Return the cost of *launches* in each of so many *rounds*, as if every token took equally long."""
    if not launches:
        return Estimate(0, 0, 0.0)
    speed = _speed(launches, workload, engine)
    prompts = max(_PROMPTS, *workload.loads)
    waves = sum(math.ceil(prompts / load) for load in workload.loads)  # of side-by-side requests
    tokens = (workload.warmup_passes + workload.repeats) * waves * workload.generation["max_new_tokens"]
    variants = sum(len(launch.variants) for launch in launches)
    seconds = rounds * (len(launches) * speed.start_s + variants * tokens * speed.token_s)
    return Estimate(len(launches) * rounds, round(seconds), _gpu_hours(seconds, launches, engine))


def estimate_before(
    launches: Sequence[Launch], nccl_variants: int, workload: Workload, engine: str
) -> Estimate:
    """Return the cost of what comes before the first round: the short run, and what is asked of NCCL.

    Args:
        launches: Of the study.
        nccl_variants: That are probed, by a start each, and timed bare.
        workload: Of the study.
        engine: That serves.
    """
    start_s = _speed(launches, workload, engine).start_s
    seconds = start_s + nccl_variants * (start_s + _ALL_REDUCES_S)
    return Estimate(1 + nccl_variants, round(seconds), _gpu_hours(seconds, launches, engine))


def _speed(launches: Sequence[Launch], workload: Workload, engine: str) -> _Speed:
    if engine == "fake":
        return _FAKE
    return _CPU if _on_cpu(launches) else _Speed(workload.limits["start_s"] / _PATIENCE, _GPU_TOKEN_S)


def _gpu_hours(seconds: float, launches: Sequence[Launch], engine: str) -> float:
    if engine == "fake" or _on_cpu(launches):
        return 0.0
    return round(seconds * launches[0].tp_size / 3600, 2)


def _on_cpu(launches: Sequence[Launch]) -> bool:
    return launches[0].args.get("device") == "cpu"
