"""The plugin of SGLang that times each decode cycle and its phases, and writes them to a file.

Off unless SWEETSPOT_CYCLES names the file's prefix. Around the methods that make a cycle it notes the clock:
on a GPU by CUDA events on the stream at hand, which a thread reads when they have happened, so that nothing
is waited for; on a CPU by the host's clock, since calls there return when their work is done. Only decode
cycles of the first rank count. A cycle that calls no phase is a plain decode step: the baseline's, or one
inside a server that can also speculate. `sweetspot_switch` may turn it off for a while, so that what it costs
can be measured.
"""

import multiprocessing
import os
import sys
import time
from typing import Any

import sweetspot_methods
import torch
from sweetspot_clocks import CudaClock, HostClock
from sweetspot_cycles import Cycle, Writer

_registered: list["Timer"] = []  # of this process, one at most


def register() -> None:
    """Put the timer around the workers' methods, in a scheduler's process and if it is asked for.

    Raises:
        SystemExit: If a method is missing or takes something else; SGLang stops at nothing less.
    """
    prefix = os.environ.get("SWEETSPOT_CYCLES")
    in_scheduler = "sglang.srt.managers.scheduler" in sys.modules
    if prefix is None or not in_scheduler or multiprocessing.current_process().name == "MainProcess":
        return
    if fault := sweetspot_methods.fault():
        raise SystemExit(f"sweetspot_timer: {fault}, expected a method to time; set `profile: none`")
    timer = Timer(f"{prefix}.{os.getpid()}")
    _registered.append(timer)
    sweetspot_methods.wrap(timer.around)


def turn(on: bool) -> bool:
    """Time cycles from now on, or none; return whether all so far are written, False without a timer.

    To be called while no request runs.
    """
    return all(timer.turn(on) for timer in _registered) and bool(_registered)


class Timer:
    """Notes the times of cycles as they run, in the scheduler's one thread.

    Args:
        path: File to write them to.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._writer: Writer | None = None
        self._off = False  # on every rank but the first, and where it was turned off
        self._cycle: Cycle | None = None  # that runs now
        self._follows = False  # nothing but a cycle ran since the last cycle

    def around(self, phase: str) -> Any:
        """Return what goes around a method: the one that makes a cycle, or that of a *phase*."""
        if phase == "cycle":
            return self._around_cycle

        def around_phase(original: Any, *args: Any, **kwargs: Any) -> Any:
            cycle = self._cycle
            if cycle is None:
                return original(*args, **kwargs)
            begin = cycle.clock.still()
            result = original(*args, **kwargs)
            cycle.phases[phase] = (begin, cycle.clock.now())
            return result

        return around_phase

    def turn(self, on: bool) -> bool:
        """Be on or off from the next cycle on; return whether all cycles so far are written."""
        self._off = not on
        return self._writer is None or self._writer.finish()

    def _around_cycle(self, original: Any, worker: Any, *args: Any, **kwargs: Any) -> Any:
        if self._cycle is not None or self._off:  # the target's part of a cycle
            return original(worker, *args, **kwargs)
        batch = args[0] if args else None
        if batch is None or not batch.forward_mode.is_decode() or batch.is_extend_in_batch:
            self._follows = False
            return original(worker, *args, **kwargs)
        writer = self._writer or self._start(batch.seq_lens)
        if writer is None:
            return original(worker, *args, **kwargs)
        cycle = self._cycle = Cycle(writer.clock, batch.seq_lens.shape[0], self._follows)
        try:
            result = original(worker, *args, **kwargs)
        finally:
            self._cycle = None
        cycle.end = cycle.clock.still() if cycle.phases else cycle.clock.now()
        cycle.host_us = time.monotonic_ns() // 1000 - cycle.start_us
        if cycle.phases:
            cycle.num_steps = worker.speculative_num_steps
            cycle.tokens = _tokens(result, cycle.batch_size)
        self._follows = True
        writer.add(cycle)
        return result

    def _start(self, seq_lens: torch.Tensor) -> Writer | None:
        """Start to write, on the first rank alone."""
        if torch.distributed.is_initialized() and torch.distributed.get_rank() != 0:
            self._off = True
            return None
        clock = CudaClock(seq_lens.device) if seq_lens.is_cuda else HostClock()
        self._writer = Writer(self._path, clock)
        return self._writer


def _tokens(result: Any, batch_size: int) -> Any:
    """Return the tokens of a cycle, bonus tokens included: a number, or a tensor of one for each request."""
    if result.accept_lens is not None:
        return result.accept_lens
    for name in sweetspot_methods.DRAFTS_PER_REQUEST:
        if getattr(result, name, None) is not None:
            return sum(getattr(result, name)) + batch_size
    raise RuntimeError("sweetspot_timer: a cycle without counts of accepted tokens; set `profile: none`")
