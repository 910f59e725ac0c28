"""A stand-in for SGLang's server: the same command line and HTTP answers, with tokens and speeds made up.

For tests of everything around a server. A token follows from the prompt and its position alone, so that
variants agree; the acceptance of each draft is a seeded draw. `FAKE_FAULT` in its environment makes it
misbehave: `die-at-start`, `refuse-start` (as a plugin does), `never-healthy`, and from its first request on
`die`, `stall`, `refuse`, `garble`, `cut-short`, `wrong-token`, `dead-draft` or `orphan` (which leaves a
process behind in a session of its own); `die-after-N` waits for N requests. If it is started for that it can
be switched between step counts: `no-switch` refuses, `switch-lies` says the new step count and runs the old
one, `switch-lies-after-N` at the switch after N, `slow-plain` runs the baseline too slowly there, and
`timer-stays-on` times what it was told not to. With SWEETSPOT_CYCLES set it leaves cycles as SGLang's timer
does.
"""

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from sweetspot.engine.fake_cycles import CycleFile
from sweetspot.engine.fake_nccl import FakeNccl

VOCABULARY = 1000
DRAFT_ACCEPTED = 0.7
DECODE_S = 1e-3
DRAFT_STEP_S = 1e-4
PREFILL_S = 2e-3
SLOW = 1.3  # times as long as it should take


class Fake:
    """What the server knows: its options, and the fault that it shall have."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.num_steps: int = options.speculative_num_steps or 0
        self.nccl = FakeNccl(options)
        self.fault = os.environ.get("FAKE_FAULT", "")
        self.candidates: list[int] = []  # of a server that can be switched
        if options.speculative_adaptive_config and "SWEETSPOT_SWITCH" in os.environ:
            config = json.loads(Path(options.speculative_adaptive_config).read_text())
            self.candidates = config["1"]["candidate_steps"]
        self.ordered = self.num_steps
        self.cycles: Counter[str] = Counter()  # since the last switch, by step count
        self.in_flight = 0
        self.switches = 0
        self.generations = 0  # answered, or begun
        self.decoding: list[object] = []  # requests, the oldest first: its cycles are the server's
        prefix = os.environ.get("SWEETSPOT_CYCLES")
        self.timer = CycleFile(prefix) if prefix else None
        self.timing = True

    def switch(self, num_steps: int, timer: bool) -> bool:
        """Return whether *num_steps* are run from now on, or said to be, their cycles timed or not."""
        if self.fault == "no-switch" or self.in_flight or num_steps not in self.candidates:
            return False
        self.ordered = num_steps
        self.switches += 1
        self.timing = timer or self.fault == "timer-stays-on"
        if self.fault not in {"switch-lies", f"switch-lies-after-{self.switches - 1}"}:
            self.num_steps = num_steps
        self.cycles.clear()
        return True

    def state(self) -> dict[str, Any]:
        """Return what the server says of its state."""
        switched = {"speculative_num_steps": self.ordered, "sweetspot_switch": {"cycles": dict(self.cycles)}}
        return switched if self.candidates else {}

    async def stream(self, body: dict[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """Yield one event a cycle, as SGLang streams them: all token ids so far, and the counters."""
        prompt, wanted = body["input_ids"], body["sampling_params"]["max_new_tokens"]
        drafts = random.Random(f"{prompt} drafts")
        slow = self.fault == "slow-plain" and self.num_steps == 0 and self.candidates
        cycle_s = DECODE_S * (SLOW if slow else 1) + DRAFT_STEP_S * self.num_steps
        histogram = [0] * (self.num_steps + 1)
        done, began = 0, time.perf_counter()
        request = object()
        self.decoding.append(request)
        ended_us = time.monotonic_ns() // 1000
        while done < wanted:
            if done == 0:
                due_s, accepted = PREFILL_S, 0
            else:
                due_s, accepted = due_s + cycle_s, self._accepted(drafts)
                histogram[accepted] += 1
                self.cycles[str(self.num_steps or "plain")] += 1
            await asyncio.sleep(max(0.0, began + due_s - time.perf_counter()))
            start_us, ended_us = ended_us, time.monotonic_ns() // 1000
            if done and self.timer and self.timing and request is self.decoding[0]:
                batch_size, last = len(self.decoding), done + accepted + 1 >= wanted
                self.timer.note(start_us, ended_us, batch_size, self.num_steps, accepted, last)
            done = min(done + accepted + 1, wanted)
            if done == wanted:
                self.decoding.remove(request)
            yield self._event(prompt, done, wanted, histogram, time.perf_counter() - began)

    def _accepted(self, drafts: random.Random) -> int:
        accepted = 0
        while self.fault != "dead-draft" and accepted < self.num_steps and drafts.random() < DRAFT_ACCEPTED:
            accepted += 1
        return accepted

    def _event(
        self, prompt: list[int], done: int, wanted: int, histogram: list[int], elapsed_s: float
    ) -> dict[str, Any]:
        meta: dict[str, Any] = {
            "prompt_tokens": len(prompt),
            "completion_tokens": done,
            "cached_tokens": 0,
            "finish_reason": {"type": "length", "length": wanted} if done == wanted else None,
        }
        if done == wanted:
            meta["e2e_latency"] = elapsed_s
            if self.options.speculative_num_steps:  # as SGLang counts them, by what it was started with
                meta["spec_verify_ct"] = sum(histogram)
                meta["spec_correct_drafts_histogram"] = histogram
                meta["spec_num_correct_drafts"] = sum(j * cycles for j, cycles in enumerate(histogram))
                meta["spec_num_proposed_drafts"] = self.options.speculative_num_steps * sum(histogram)
        return {"output_ids": [self._token(prompt, i) for i in range(done)], "meta_info": meta}

    def _token(self, prompt: list[int], position: int) -> int:
        wrong = self.fault == "wrong-token" and position >= 5
        return (sum(prompt) * 31 + position * 17 + wrong) % VOCABULARY

    def with_candidates(self, event: dict[str, Any]) -> dict[str, Any]:
        """Return the last *event* of a stream with the best candidates for each of its tokens."""
        event["meta_info"]["output_top_logprobs"] = [
            [[-0.1, token, None], *([-9.0, (token + other) % VOCABULARY, None] for other in (2, 3, 4))]
            for token in event["output_ids"]
        ]
        return event


async def serve(fake: Fake) -> None:
    """Answer on the loopback interface until told to end."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await _answer(fake, reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client left
        finally:
            writer.close()

    async with await asyncio.start_server(connected, fake.options.host, fake.options.port) as server:
        print(f"server_args={vars(fake.options)}", flush=True)
        await server.serve_forever()


async def _answer(fake: Fake, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    """Answer one request; return False once the client has closed the connection."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    path = head.split(" ", 2)[1]
    headers = dict(line.lower().split(": ", 1) for line in head.strip().split("\r\n")[1:])
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    if path != "/health_generate" and headers.get("authorization") != f"bearer {fake.options.api_key}":
        await _send(writer, 401, b"{}")
    elif path == "/health_generate":
        await _send(writer, 503 if fake.fault == "never-healthy" else 200, b"")
    elif path == "/server_info":
        await _send(
            writer, 200, json.dumps({**vars(fake.options), "internal_states": [fake.state()]}).encode()
        )
    elif path == "/start_profile":
        Path(json.loads(body)["output_dir"], "made-up-TP-0-DECODE.trace.json.gz").touch()
        await _send(writer, 200, b"")
    elif path == "/flush_cache":
        await _send(writer, 200, b"")
    elif path == "/set_internal_state":
        order = json.loads(body)["server_args"]
        done = fake.switch(order["speculative_num_steps"], bool(order.get("sweetspot_timer", True)))
        await _send(writer, 200, json.dumps([done]).encode())
    elif path == "/generate":
        fake.in_flight += 1
        try:
            await _generate(fake, json.loads(body), writer)
        finally:
            fake.in_flight -= 1
    else:
        await _send(writer, 404, b"{}")
    return True


async def _generate(fake: Fake, body: dict[str, Any], writer: asyncio.StreamWriter) -> None:
    fake.generations += 1
    fake.nccl.forward(len(body["input_ids"]))
    if fake.fault in {"die", f"die-after-{fake.generations - 1}"}:
        print("Scheduler hit an exception: made up", flush=True)
        os._exit(3)
    if fake.fault == "orphan":
        subprocess.Popen(["sleep", "600"], start_new_session=True)
    if fake.fault == "refuse":
        await _send(writer, 400, b'{"error": "made up"}')
        return
    if not body.get("stream"):
        events = [event async for event in fake.stream(body)]
        await _send(writer, 200, json.dumps(fake.with_candidates(events[-1])).encode())
        return
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    async for event in fake.stream(body):
        if fake.fault == "stall":
            await asyncio.sleep(3600)
        if fake.fault == "garble":
            event["meta_info"] = None
        if fake.fault == "cut-short" and event["meta_info"]["finish_reason"]:
            break
        _chunk(writer, b"data: " + json.dumps(event).encode() + b"\n\n")
        await writer.drain()
    _chunk(writer, b"data: [DONE]\n\n")
    _chunk(writer, b"")
    await writer.drain()


def _chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%s\r\n" % (len(data), data))


async def _send(writer: asyncio.StreamWriter, status: int, body: bytes) -> None:
    writer.write(b"HTTP/1.1 %d Made-Up\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body))
    await writer.drain()


def main() -> int:
    """Serve as the command line asks; unknown options are SGLang's and change nothing."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--host", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--api-key", required=True)
    parser.add_argument("--speculative-num-steps", type=int)
    parser.add_argument("--speculative-adaptive-config")
    parser.add_argument("--speculative-num-draft-tokens", type=int)
    parser.add_argument("--tp-size", type=int, default=1)
    parser.add_argument("--model-path", required=True)
    parser.add_argument("--disable-custom-all-reduce", action="store_true")
    fake = Fake(parser.parse_known_args()[0])
    if fake.fault == "refuse-start":
        print("sweetspot_timer: made up")
        print("EOFError: the process that was to serve is gone")
        return 1
    if fake.fault == "die-at-start":
        print("RuntimeError: made up, at the start")
        return 1
    asyncio.run(serve(fake))
    return 0


if __name__ == "__main__":
    sys.exit(main())
