"""Sends a launch's passes to its server, after warming it up, and adds what came back to the record."""

import time
from typing import Any

from sweetspot.engine.sglang import Server
from sweetspot.run.client import send_pass
from sweetspot.run.job import Job, order_of_passes
from sweetspot.run.record import digest, pack
from sweetspot.run.stream import observed
from sweetspot.run.switch import Switch, prove, switch

TOP_K = 4  # candidates recorded for each token of the reference pass


def send_all(job: Job, server: Server, record: dict[str, Any]) -> None:
    """Warm up each variant at each load, then add the passes, and a baseline's reference, to *record*."""
    generation = job.workload["generation"]
    stall_s = job.workload["limits"]["stall_s"]

    def send(variant: str, load: int, prompts: list[dict[str, Any]]) -> dict[str, Any]:
        """Return what a pass saw: its requests, when it ran, and in a one-load launch the switch to it."""
        made = switch_to(variant, job, server)
        server.flush_cache()
        began_s = time.monotonic() - ready
        began_us, streams = send_pass(server.url, server.headers, prompts, load, generation, stall_s)
        times = {"began_s": began_s, "began_us": began_us, "ended_us": time.monotonic_ns() // 1000}
        requests = [observed(stream, record["outputs"]) for stream in streams]
        return times | {"requests": requests} | ({"switch": prove(server, made)} if made else {})

    ready = time.monotonic()
    slowest_s = 0.0  # pass
    for variant in job.launch["variants"]:
        for load in job.workload["loads"]:
            for _ in range(job.workload["warmup_passes"]):
                send(variant, load, job.prompts[:load])
    record["outputs"].clear()
    for order, (variant, load, repeat) in enumerate(order_of_passes(job)):
        seen = send(variant, load, job.prompts)
        slowest_s = max(slowest_s, time.monotonic() - ready - seen["began_s"])
        record["passes"].append({"variant": variant, "load": load, "repeat": repeat, "order": order, **seen})
    baseline = next((variant for variant in job.launch["variants"] if job.steps[variant] == 0), None)
    if generation["temperature"] == 0 and baseline:
        limit_s = stall_s + 2 * slowest_s  # it is not streamed, so its silence is its whole length
        made = switch_to(baseline, job, server)
        record["reference"] = [
            _reference(server, prompt, generation, limit_s, record["outputs"]) for prompt in job.prompts
        ]
        if made:
            prove(server, made)


def switch_to(variant: str, job: Job, server: Server) -> Switch | None:
    """Switch a one-load server to *variant*: to its step count, and its timer if the launch turns that."""
    if job.launch["kind"] != "oneload":
        return None
    return switch(server, job.steps[variant], variant not in job.untimed if job.untimed else None)


def _reference(
    server: Server,
    prompt: dict[str, Any],
    generation: dict[str, Any],
    limit_s: float,
    outputs: dict[str, str],
) -> dict[str, Any]:
    """Return the baseline's best candidates for each token of one prompt. The request is not timed."""
    server.flush_cache()
    answer = server.generate(
        {
            "input_ids": prompt["input_ids"],
            "sampling_params": generation,
            "return_logprob": True,
            "top_logprobs_num": TOP_K,
        },
        limit_s,
    )
    best = answer["meta_info"]["output_top_logprobs"]  # for each token, best first: [nats, id, text]
    packed = pack(answer["output_ids"])
    outputs[digest(packed)] = packed
    return {
        "prompt": prompt["id"],
        "output": digest(packed),
        "top_k": TOP_K,
        "top_ids": pack([candidate[1] for token in best for candidate in token]),
        "top_logprobs_e4": pack([_e4(candidate[0]) for token in best for candidate in token]),
    }


def _e4(nats: float) -> int:
    """Return a log probability in 1e-4 nats, minus infinity as something that is near to nothing."""
    return round(max(nats, -1000.0) * 1e4)
