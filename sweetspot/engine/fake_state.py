"""What the stand-in for SGLang's server knows, and the tokens and times that it makes up."""

import argparse
import asyncio
import json
import os
import random
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
        self.lingering = False  # a request whose last token is out
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

    def flush(self) -> int:
        """Return the status that says whether caches are emptied: not while there is work."""
        lingering, self.lingering = self.lingering, False
        if self.fault == "no-flush":
            return 500
        return 400 if lingering or self.fault == "never-idle" else 200

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
