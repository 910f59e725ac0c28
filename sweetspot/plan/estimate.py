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


def estimate(launches: Sequence[Launch], rounds: int, workload: Workload, engine: str) -> Estimate:
    """Return the cost of *launches* in each of so many *rounds*, as if every token took equally long."""
    if not launches:
        return Estimate(0, 0, 0.0)
    on_cpu = engine == "fake" or launches[0].args.get("device") == "cpu"
    gpu = _Speed(workload.limits["start_s"] / _PATIENCE, _GPU_TOKEN_S)
    speed = _FAKE if engine == "fake" else _CPU if on_cpu else gpu
    prompts = max(_PROMPTS, *workload.loads)
    waves = sum(math.ceil(prompts / load) for load in workload.loads)  # of side-by-side requests
    tokens = (workload.warmup_passes + workload.repeats) * waves * workload.generation["max_new_tokens"]
    variants = sum(len(launch.variants) for launch in launches)
    seconds = rounds * (len(launches) * speed.start_s + variants * tokens * speed.token_s)
    gpu_hours = 0.0 if on_cpu else round(seconds * launches[0].tp_size / 3600, 2)
    return Estimate(len(launches) * rounds, round(seconds), gpu_hours)
