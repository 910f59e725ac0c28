"""Decode speed while the whole load was decoding, from the arrivals of chunks.

A request decodes from its first chunk to its last. Only chunk intervals that lie wholly in a time with
exactly *load* requests decoding count: prefills, and the thin ends of a pass, stay out. Counting the
tokens that arrive in such a time instead would lose, at each of its ends, the chunks of the same cycle that
arrive just after the chunk that ends it: 2 to 13 % in a simulation at loads 4 to 32. Pure.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sweetspot.errors import MeasureError
from sweetspot.measure.chunks import Chunks, Ints


@dataclass(frozen=True)
class Throughput:
    """Speed of a pass; None where the whole load never decoded through a cycle."""

    full_load_s: float  # time in which the whole load decoded
    full_load_cycles: int  # chunk intervals wholly inside it
    decode_tokens_per_s: float | None  # of all requests together
    cycle_s: float | None  # mean interval between the chunks of a request


def throughput(chunks: Chunks, load: int) -> Throughput:
    """Return how fast *load* requests decoded together.

    At load 1 the speed is all decode tokens over all decode seconds.

    Raises:
        MeasureError: If more than *load* requests decoded at once.
    """
    windows = full_load_windows(chunks.first_us, chunks.last_us, load)
    intervals = chunks.intervals
    inside = _inside(intervals.begin_us, intervals.end_us, windows)
    seconds = float(intervals.length_us[inside].sum()) / 1e6
    cycles = int(inside.sum())
    full_load_s = float((windows[:, 1] - windows[:, 0]).sum()) / 1e6
    if seconds == 0:
        return Throughput(full_load_s, 0, None, None)
    tokens_per_s = load * float(intervals.tokens[inside].sum()) / seconds
    return Throughput(full_load_s, cycles, tokens_per_s, seconds / cycles)


def full_load_windows(first_us: Ints, last_us: Ints, load: int) -> Ints:
    """Return the times in which exactly *load* requests decode.

    Args:
        first_us: Arrival of each request's first chunk. Shape (requests,).
        last_us: Arrival of each request's last chunk. Shape (requests,).
        load: Requests in flight, 1 or more.

    Returns:
        Opening and closing time of each, in order, apart from each other. Shape (windows, 2).

    Raises:
        MeasureError: If more than *load* requests decode at once.
    """
    times = np.concatenate([first_us, last_us])
    edges, place = np.unique(times, return_inverse=True)
    begins = np.bincount(place[: first_us.size], minlength=edges.size)
    ends = np.bincount(place[first_us.size :], minlength=edges.size)
    decoding = (begins - ends).cumsum()  # (edges,), from each edge to the next
    if decoding.max() > load:
        raise MeasureError(f"{decoding.max()} requests decoded at once, expected at most {load}")
    change = np.diff(decoding == load, prepend=False).nonzero()[0]  # opens, closes, opens, ...
    return np.asarray(edges[change].reshape(-1, 2))


def _inside(begin_us: Ints, end_us: Ints, windows: Ints) -> NDArray[np.bool_]:
    """Return which intervals lie wholly in one of the windows. Shape (intervals,)."""
    if not windows.size:
        return np.zeros(begin_us.size, dtype=np.bool_)
    window = np.searchsorted(windows[:, 0], begin_us, side="right") - 1
    return np.asarray((window >= 0) & (end_us <= windows[window, 1]))


def identity_residual(decode_tokens_per_s: float, load: int, cycle_s: float, accept_length: float) -> float:
    """Return how far a row is from tokens a second x seconds a cycle = tokens a cycle, as a share.

    Args:
        decode_tokens_per_s: Of all requests in flight together, by the client's clock.
        load: Requests in flight.
        cycle_s: Mean time of a cycle: by the timer inside the server, or the mean interval between chunks.
        accept_length: By the server's counters, bonus token included; 1 without speculation.
    """
    return decode_tokens_per_s / load * cycle_s / accept_length - 1
