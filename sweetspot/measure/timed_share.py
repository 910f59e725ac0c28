"""Holds the time of a pass's cycles, by the server, against the time of its chunks, by the client. Pure."""

import numpy as np

from sweetspot.measure.chunks import Chunks, Ints
from sweetspot.measure.throughput import full_load_windows
from sweetspot.measure.timed import Table, column

# A request's first chunks take longer to its client: on an H200 5 ms more at the first, none after eight.
LATE_CHUNKS = 8


def timed_share(table: Table, chunks: Chunks, began_us: int, load: int) -> float | None:
    """Return the time of the cycles over the client's, while the whole load decoded.

    The first chunks, half of a short request's at most, are left out of both. Of one request at a time it is
    known which cycles brought its chunks, unless some merged. Else a chunk arrives a little after the cycle
    that made it ended and the next began; by as much, at the median of all chunks, the client's windows are
    moved to the server's time.
    """
    late = np.minimum(LATE_CHUNKS, chunks.decode_chunks // 2)
    if load == 1 and (share := _share_in_rows(table, chunks, late)) is not None:
        return share
    starts = column(table, "start_us") - began_us
    ends = starts + column(table, "period_us")
    before = np.searchsorted(starts, chunks.arrival_us, side="right") - 1
    lag = np.median((chunks.arrival_us - starts[before])[before >= 0])
    windows = full_load_windows(chunks.arrival_us[chunks.first + late], chunks.last_us, load)
    if not windows.size:
        return None
    timed = sum(_overlap(starts, ends, *(window - lag)) for window in windows)
    return float(timed / (windows[:, 1] - windows[:, 0]).sum())


def _share_in_rows(table: Table, chunks: Chunks, late: Ints) -> float | None:
    """Return the share of requests that followed each other, each with a row of cycles without a pause.

    The last cycle of a row lasts until nothing. It brings the last chunk, which is left out with it, unless
    the host runs ahead of a GPU: then it brings nothing. None if a request has no row, or a chunk brought
    more tokens than its cycle made: chunks that merged don't say which cycles they are of.

    Args:
        table: Cycles.
        chunks: Of the pass.
        late: How many chunks of each request to leave out after its first. Shape (requests,).
    """
    ends_row = column(table, "followed") == 0
    row = np.cumsum(ends_row) - ends_row  # (cycles,); which of the rows of cycles without a pause
    cycles = np.bincount(row)
    if cycles.size != late.size or (cycles < chunks.decode_chunks).any():
        return None
    place = np.arange(row.size) - (np.cumsum(cycles) - cycles)[row]
    made = column(table, "tokens")[place < chunks.decode_chunks[row]]
    if (chunks.intervals.tokens > made).any():
        return None
    until = np.minimum(chunks.decode_chunks, cycles - 1)
    periods = column(table, "period_us")[(late[row] <= place) & (place < until[row])]
    client_us = chunks.arrival_us[chunks.first + until] - chunks.arrival_us[chunks.first + late]
    return float(periods.sum() / client_us.sum()) if periods.size else None


def _overlap(starts: Table, ends: Table, opens: float, closes: float) -> float:
    """Return how much of the time from *starts* to *ends* lies in a window."""
    return float((np.minimum(ends, closes) - np.maximum(starts, opens)).clip(min=0).sum())
