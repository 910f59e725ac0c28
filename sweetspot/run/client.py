"""Sends streamed requests and notes when each chunk arrived. Nothing is parsed while the clock runs."""

import asyncio
import json
import time
from typing import Any

import httpx

from sweetspot.errors import EngineError
from sweetspot.run.stream import Stream


def send_pass(
    url: str,
    headers: dict[str, str],
    prompts: list[dict[str, Any]],
    load: int,
    sampling: dict[str, Any],
    stall_s: float,
) -> tuple[int, list[Stream]]:
    """Send every prompt once, *load* at a time, and return when that began and what came back.

    Args:
        url: Of the server.
        headers: Sent with each request.
        prompts: Each with `id` and `input_ids`.
        load: Requests in flight; a new one is sent as soon as one is finished.
        sampling: SGLang's sampling parameters.
        stall_s: Longest silence on a request.

    Returns:
        The begin in microseconds of CLOCK_MONOTONIC, and the streams in the prompts' order.

    Raises:
        httpx.HTTPError: If a connection breaks or stays silent for too long.
        EngineError: If a request is refused.
    """
    try:
        return asyncio.run(_send_pass(url, headers, prompts, load, sampling, stall_s))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


async def _send_pass(
    url: str,
    headers: dict[str, str],
    prompts: list[dict[str, Any]],
    load: int,
    sampling: dict[str, Any],
    stall_s: float,
) -> tuple[int, list[Stream]]:
    limits = httpx.Limits(max_connections=load, max_keepalive_connections=load)
    bodies = [
        json.dumps({"input_ids": p["input_ids"], "sampling_params": sampling, "stream": True})
        for p in prompts
    ]
    streams: dict[int, Stream] = {}
    waiting = iter(range(len(prompts)))
    async with httpx.AsyncClient(
        base_url=url, headers=headers, limits=limits, timeout=stall_s, trust_env=False, verify=False
    ) as client:  # verify: no certificates to load, for there is no TLS on the loopback interface
        began_ns = time.monotonic_ns()  # as the timer inside the server

        def now_us() -> int:
            return (time.monotonic_ns() - began_ns) // 1000

        async def work() -> None:
            for index in waiting:
                stream = streams[index] = Stream(prompts[index]["id"], now_us())
                async with client.stream(
                    "POST", "/generate", content=bodies[index], headers={"Content-Type": "application/json"}
                ) as answer:
                    if answer.status_code != httpx.codes.OK:
                        text = (await answer.aread()).decode(errors="replace")
                        raise EngineError(
                            f"/generate: status {answer.status_code}, expected 200; {text[:200]}", "refused"
                        )
                    async for read in answer.aiter_raw():
                        stream.reads.append((now_us(), read))

        async with asyncio.TaskGroup() as group:
            for _ in range(load):
                group.create_task(work())
    return began_ns // 1000, [streams[index] for index in range(len(prompts))]
