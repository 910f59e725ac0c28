"""The clocks that time a cycle: the GPU's own where the work is done there, else the host's."""

import time
from collections import deque
from collections.abc import Iterable
from typing import Any

import torch

# A mark as young as that, by the host's clock, is taken for one of now. What was queued after it then counts
# in the phase that begins, however long the GPU takes for it.
# ASSUME: SGLang queues next to nothing between the phases of a cycle.
YOUNG_NS = 50_000


class HostClock:
    """The host's clock: for calls that return when their work is done."""

    name = "host"

    def enter_thread(self) -> None:
        """Do nothing."""

    def start(self) -> Any:
        """Return a mark of this moment."""
        return self.now()

    def now(self) -> Any:
        """Return a mark of this moment."""
        return time.perf_counter_ns()

    def still(self) -> Any:
        """Return a mark of this moment."""
        return self.now()

    def passed(self, mark: Any) -> bool:
        """Return whether all work before *mark* is done."""
        return True

    def between_us(self, begin: Any, end: Any) -> int:
        """Return the microseconds from one mark to another."""
        return round((end - begin) / 1000)

    def to_host(self, tensors: list[torch.Tensor]) -> list[int]:
        """Return the sum of each tensor."""
        return [int(tensor.sum()) for tensor in tensors]

    def reuse(self, marks: Iterable[Any]) -> None:
        """Do nothing: a mark is a number."""


class CudaClock:
    """The GPU's own clock: events on the stream on which a cycle starts.

    Each costs the GPU 2 to 3 us, so few are recorded. The host takes 9 us to ask for the stream, 4 to make
    an event and 3 to record it, so a cycle asks once and records events again that were read.

    Args:
        device: Whose work is timed.
    """

    name = "cuda_events"

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._side = torch.cuda.Stream(device)
        self._stream: Any = None  # of the cycle that runs
        self._spare: deque[Any] = deque()  # events that were read
        self._last: Any = None  # mark, which `start` renews before `still` returns it
        self._last_ns = 0  # on the host

    def enter_thread(self) -> None:
        """Make the device the current one of the thread that reads: else it would open another one."""
        torch.cuda.set_device(self._device)

    def start(self) -> Any:
        """Return a mark of now on the stream at hand, to which the next ones go too: those of a cycle."""
        # ASSUME: SGLang queues all phases of a cycle on the stream that is current when the cycle starts.
        self._stream = torch.cuda.current_stream(self._device)
        return self.now()

    def now(self) -> Any:
        """Return a mark after the work that is queued so far, without waiting for it."""
        event = self._spare.pop() if self._spare else torch.cuda.Event(enable_timing=True)
        event.record(self._stream)
        self._last, self._last_ns = event, time.monotonic_ns()
        return event

    def still(self) -> Any:
        """Return the last mark if it is young, or else a new one."""
        return self._last if time.monotonic_ns() - self._last_ns < YOUNG_NS else self.now()

    def passed(self, mark: Any) -> bool:
        """Return whether the GPU came to *mark*."""
        return bool(mark.query())

    def between_us(self, begin: Any, end: Any) -> int:
        """Return the GPU's microseconds from one mark to another, both passed."""
        return round(begin.elapsed_time(end) * 1000)

    def to_host(self, tensors: list[torch.Tensor]) -> list[int]:
        """Return the sum of each tensor, copied on a stream of its own that waits for no other work."""
        if not tensors:
            return []
        with torch.cuda.stream(self._side):
            numbers = iter(torch.cat([tensor.flatten() for tensor in tensors]).tolist())
        return [sum(next(numbers) for _ in range(tensor.numel())) for tensor in tensors]

    def reuse(self, marks: Iterable[Any]) -> None:
        """Take back marks that were read, each once."""
        self._spare.extend(marks)
