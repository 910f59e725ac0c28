"""Decode cycles as they were timed, and the thread that reads the clock's marks and writes them down.

The file holds a JSON line that names the clock and the columns, then one JSON array a cycle, in whole
microseconds. A period lasts until the next cycle starts; where something else came between, a prefill or
nothing, it ends with the cycle's own call, and `followed` is 0.
"""

import json
import threading
import time
from collections import deque
from collections.abc import Collection
from pathlib import Path
from typing import Any

import torch

COLUMNS = (
    *(
        "start_us",
        "period_us",
        "followed",
        "call_us",
        "host_us",
        "batch_size",
        "num_steps",
        "tokens",
        "plain",
    ),
    *("draft_us", "verify_us", "extend_us"),
)
PHASES = ("draft", "verify", "extend")
READ_EVERY_S = 0.1
DUE_AFTER_S = 0.3  # an older cycle is read, whether or not the GPU waits for the host
PATIENCE_S = 5.0  # until all cycles are written
ALONE_AFTER_S = 1.0  # a cycle that nothing follows for so long is the last before the server idles


class Cycle:
    """One cycle under way, or done."""

    __slots__ = ("batch_size", "begin", "clock", "end", "follows", "host_us", "num_steps", "phases")
    __slots__ += ("start_us", "tokens")

    def __init__(self, clock: Any, batch_size: int, follows: bool) -> None:
        self.clock = clock
        self.batch_size = batch_size
        self.follows = follows  # straight on the cycle before it
        self.phases: dict[str, tuple[Any, Any]] = {}
        self.num_steps = 0
        self.tokens: Any = batch_size
        self.start_us = time.monotonic_ns() // 1000
        self.begin = clock.start()
        self.end: Any = None
        self.host_us = 0  # of the call, on the host

    def age_s(self) -> float:
        """Return the seconds since it started."""
        return time.monotonic_ns() / 1e9 - self.start_us / 1e6

    def marks(self) -> Collection[Any]:
        """Return its marks, each once: one may end a phase and begin the next."""
        pairs = ((self.begin, self.end), *self.phases.values())
        return {id(mark): mark for pair in pairs for mark in pair}.values()


class Writer:
    """Writes cycles in the order in which they ran, from a thread of its own.

    Args:
        path: File to write.
        clock: That made the cycles' marks.
    """

    def __init__(self, path: str, clock: Any) -> None:
        self.clock = clock
        self._cycles: deque[Cycle] = deque()
        self._added, self._written = 0, 0
        self._finishing = False
        self._file = Path(path).open("w")  # noqa: SIM115  open for as long as the server runs
        self._file.write(json.dumps({"clock": clock.name, "columns": COLUMNS}) + "\n")
        self._file.flush()
        threading.Thread(target=self._run, name="sweetspot_cycles", daemon=True).start()

    def add(self, cycle: Cycle) -> None:
        """Take over a cycle whose marks are set; its tokens may still be on the GPU."""
        self._cycles.append(cycle)
        self._added += 1

    def finish(self) -> bool:
        """Wait until all cycles are written, of which none follows the last; return whether they are."""
        until = time.monotonic() + PATIENCE_S
        self._finishing = True
        while self._written < self._added and time.monotonic() < until:
            time.sleep(READ_EVERY_S / 20)
        self._finishing = False
        return self._written == self._added

    def _run(self) -> None:
        self.clock.enter_thread()
        while True:
            time.sleep(READ_EVERY_S)
            if self._cycles and self._may_read() and (ready := self._ready()):
                self._write(ready)

    def _may_read(self) -> bool:
        """Return whether reading holds the GPU up no more than it has to.

        To read takes the interpreter from the thread that queues work. Where the GPU waits for that thread,
        as after a prefill, that would lengthen a cycle; where it still has work, it does not.
        """
        oldest, newest = self._cycles[0], self._cycles[-1]
        due = oldest.age_s() > DUE_AFTER_S
        return due or self._finishing or not self.clock.passed(newest.end)

    def _ready(self) -> list[tuple[Cycle, Cycle | None]]:
        """Take the cycles that are over, each with the one that follows straight on it."""
        ready: list[tuple[Cycle, Cycle | None]] = []
        while self._cycles:
            cycle = self._cycles[0]
            following = self._cycles[1] if len(self._cycles) > 1 else None
            if following is None and cycle.age_s() < ALONE_AFTER_S and not self._finishing:
                break
            if not self.clock.passed((following or cycle).end):
                break
            ready.append((cycle, following if following is not None and following.follows else None))
            self._cycles.popleft()
        return ready

    def _write(self, ready: list[tuple[Cycle, Cycle | None]]) -> None:
        tensors = [cycle.tokens for cycle, _ in ready if isinstance(cycle.tokens, torch.Tensor)]
        tokens = iter(self.clock.to_host(tensors))
        for cycle, following in ready:
            row = [
                cycle.start_us,
                self.clock.between_us(cycle.begin, cycle.end if following is None else following.begin),
                int(following is not None),
                self.clock.between_us(cycle.begin, cycle.end),
                cycle.host_us,
                cycle.batch_size,
                cycle.num_steps,
                next(tokens) if isinstance(cycle.tokens, torch.Tensor) else cycle.tokens,
                int(not cycle.phases),
                *(
                    self.clock.between_us(*cycle.phases[phase]) if phase in cycle.phases else None
                    for phase in PHASES
                ),
            ]
            self._file.write(json.dumps(row) + "\n")
        self._file.flush()
        for cycle, _ in ready:
            self.clock.reuse(cycle.marks())
        self._written += len(ready)
