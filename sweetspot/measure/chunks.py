"""Unpacks the chunks of a pass into flat arrays: when each arrived, and the tokens that it brought.

A chunk is what the server sent at once: one cycle, unless chunks merged on their way. Chunks without a
token are left out. Times are whole microseconds since the pass began, on the client's clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweetspot.errors import MeasureError, RecordError
from sweetspot.run.record import differences

Ints = NDArray[np.int64]
AGAIN = "measure this launch again"


@dataclass(frozen=True)
class Intervals:
    """From each chunk to the next of the same request, all requests of a pass in a row."""

    begin_us: Ints  # (intervals,)
    end_us: Ints  # (intervals,)
    tokens: Ints  # (intervals,), brought by the chunk at the end

    @property
    def length_us(self) -> Ints:
        """Return how long each took. Shape (intervals,)."""
        return self.end_us - self.begin_us


@dataclass(frozen=True)
class Chunks:
    """The chunks of a pass, request after request."""

    sent_us: Ints  # (requests,)
    first: Ints  # (requests,), index of each request's first chunk
    arrival_us: Ints  # (chunks,)
    tokens: Ints  # (chunks,), brought by each

    @property
    def first_us(self) -> Ints:
        """Return when each request's first chunk arrived: the end of its prefill. Shape (requests,)."""
        return self.arrival_us[self.first]

    @property
    def last_us(self) -> Ints:
        """Return when each request's last chunk arrived. Shape (requests,)."""
        return np.asarray(self.arrival_us[np.append(self.first[1:], self.arrival_us.size) - 1])

    @property
    def decode_chunks(self) -> Ints:
        """Return the chunks of each request after its first. Shape (requests,)."""
        return np.asarray(np.diff(self.first, append=self.arrival_us.size) - 1)

    @property
    def decode_tokens(self) -> Ints:
        """Return the tokens of each request after its first chunk. Shape (requests,)."""
        return np.asarray(np.add.reduceat(self.tokens, self.first) - self.tokens[self.first])

    @cached_property
    def intervals(self) -> Intervals:
        """Return the times between chunks; a request's first chunk ends none."""
        later = np.delete(np.arange(self.arrival_us.size), self.first)
        return Intervals(self.arrival_us[later - 1], self.arrival_us[later], self.tokens[later])


def unpack_chunks(requests: Sequence[dict[str, Any]], where: str) -> Chunks:
    """Return the chunks of a pass's *requests*.

    Raises:
        RecordError: If a list can't be unpacked.
        MeasureError: If a request has no tokens, its counts do not add up, or its times run backwards.
    """
    steps_us, sizes = _unpack_all([request["chunk_us"] for request in requests], where)
    tokens, counts = _unpack_all([request["chunk_tokens"] for request in requests], where)
    completion = np.array([request["completion_tokens"] for request in requests])
    sent_us = np.array([request["sent_us"] for request in requests], dtype=np.int64)

    def expect(fine: NDArray[np.bool_], what: str) -> None:
        if not fine.all():
            prompt = requests[int(fine.argmin())]["prompt"]
            raise MeasureError(f"{where}, prompt {prompt}: expected {what}; {AGAIN}")

    expect((sizes == counts) & (sizes > 0), "a time and a count for each chunk, and a chunk at least")
    first = np.append(0, sizes.cumsum()[:-1])
    expect(np.add.reduceat(tokens, first) == completion, "completion_tokens in its last chunk")
    expect(
        (np.minimum.reduceat(tokens, first) >= 0) & (completion > 0), "token counts that rise from above 0"
    )
    expect(steps_us[first] > sent_us, "its first chunk after it was sent")
    arrival_us = steps_us.cumsum()
    arrival_us -= np.repeat(arrival_us[first] - steps_us[first], sizes)  # each request's own sum
    steps_us[first] = 0
    expect(np.minimum.reduceat(steps_us, first) >= 0, "chunks in the order of their times")
    brought = tokens > 0
    first = np.append(0, np.add.reduceat(brought, first, dtype=np.int64).cumsum()[:-1])
    return Chunks(sent_us, first, arrival_us[brought], tokens[brought])


def _unpack_all(packed: Sequence[str], where: str) -> tuple[Ints, Ints]:
    """Return the differences in all lists of *packed* in a row, and the length of each list."""
    try:
        lists = [differences(text) for text in packed]
    except RecordError as error:
        raise RecordError(f"{where}: {error}") from None
    sizes = np.array([len(steps) for steps in lists])
    return np.frombuffer(b"".join(lists), dtype=np.intc).astype(np.int64), sizes


def unpack_numbers(packed: str, where: str) -> Ints:
    """Return the numbers in *packed*, such as token ids. Shape (numbers,).

    Raises:
        RecordError: If it can't be unpacked.
    """
    return _unpack_all([packed], where)[0].cumsum()
