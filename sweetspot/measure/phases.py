"""Turns the cycles that the timer inside the server saw in a pass into columns: where their time went.

The timer and the client read one clock, CLOCK_MONOTONIC, so cycles belong to a pass by their start. Pure.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sweetspot.engine.plugin import UNITS
from sweetspot.errors import MeasureError
from sweetspot.measure.chunks import AGAIN, Chunks, Ints
from sweetspot.measure.requests import REAL, TEXT, WHOLE
from sweetspot.measure.throughput import full_load_windows
from sweetspot.run.cycles import Cycles

PHASES: dict[str, pl.DataType] = {
    "cycle_clock": TEXT,  # that timed the phases
    "timed_cycles": WHOLE,  # of the whole load, each with another straight after it
    "timed_tokens": WHOLE,  # that they yielded, of all requests, bonus tokens included
    "draft_s": REAL,
    "verify_s": REAL,
    "extend_s": REAL,
    "decode_s": REAL,  # without speculation
    "host_s": REAL,  # of the worker's call, on the host
    "timed_share": REAL,  # periods in the time in which the whole load decoded, over that time
}
IN_CYCLE = ("draft", "verify", "extend")
# A request's first chunks take longer to its client: on an H200 5 ms more at the first, none after eight.
LATE_CHUNKS = 8
COLUMN = {name: index for index, name in enumerate(UNITS)}
Table = NDArray[np.float64]


@dataclass(frozen=True)
class Timed:
    """The cycles of a launch as numbers, and the clock that timed their phases, None if none did."""

    clock: str | None
    table: Table  # (cycles, columns), by their starts, nan for none

    @classmethod
    def of(cls, cycles: Cycles) -> Self:
        """Return *cycles* as numbers."""
        table = np.array(cycles.rows, dtype=np.float64).reshape(-1, len(COLUMN))
        return cls(cycles.clock, table[table[:, COLUMN["start_us"]].argsort(kind="stable")])


UNTIMED = Timed(None, np.empty((0, len(COLUMN))))


def phases(
    timed: Timed, began_us: int, chunks: Chunks, load: int, num_steps: int, where: str
) -> dict[str, Any]:
    """Return the columns of `PHASES` for a pass, and `cycle_s`, the mean period, if it is known.

    Args:
        timed: The cycles of the launch.
        began_us: Begin of the pass, on the clock of the cycles' starts.
        chunks: Of the pass.
        load: Requests in flight.
        num_steps: Of the pass's variant; 0 for a baseline.
        where: Record, variant and load, for messages.

    Raises:
        MeasureError: If a cycle ran another number of steps, or lacks a phase.
    """
    row: dict[str, Any] = dict.fromkeys(PHASES)
    if timed.clock is None:
        return row
    starts = timed.table[:, COLUMN["start_us"]]
    first, last = np.searchsorted(starts, [began_us, began_us + chunks.last_us.max()])
    table = timed.table[first:last]
    _check(table, num_steps, where)
    whole = (_of(table, "batch_size") == load) & (_of(table, "followed") == 1)
    row |= {"cycle_clock": timed.clock, "timed_cycles": int(whole.sum())}
    row["timed_tokens"] = int(_of(table[whole], "tokens").sum())
    if not whole.any():
        return row
    taken = {"cycle_s": "period_us", "host_s": "host_us"}
    taken |= {f"{p}_s": f"{p}_us" for p in IN_CYCLE} if num_steps else {"decode_s": "call_us"}
    for name, column in taken.items():
        row[name] = float(np.nan_to_num(_of(table[whole], column)).mean()) / 1e6 or None
    row["timed_share"] = _timed_share(table, chunks, began_us, load)
    return row


def _of(table: Table, name: str) -> Table:
    return np.asarray(table[:, COLUMN[name]])


def _check(table: Table, num_steps: int, where: str) -> None:
    """Raise unless every cycle did what the variant is named for."""
    steps, plain = _of(table, "num_steps"), _of(table, "plain")
    wrong = (steps != num_steps) | (plain != (num_steps == 0))
    if wrong.any():
        one = wrong.argmax()
        without = " without speculation" if plain[one] else ""
        raise MeasureError(
            f"{where}: {int(wrong.sum())} of {steps.size} cycles ran {int(steps[one])} steps{without}, "
            f"expected {num_steps}; {AGAIN}"
        )
    if num_steps and np.isnan(table[:, [COLUMN["draft_us"], COLUMN["verify_us"]]]).any():
        raise MeasureError(
            f"{where}: cycles without a draft or a verify, expected both; this SGLang calls other methods: "
            f"set `profile: none`"
        )


def _timed_share(table: Table, chunks: Chunks, began_us: int, load: int) -> float | None:
    """Return the time of the cycles over the client's, while the whole load decoded.

    The first chunks, half of a short request's at most, are left out of both. Of one request at a time it is
    known which cycles brought its chunks, unless some merged. Else a chunk arrives a little after the cycle
    that made it ended and the next began; by as much, at the median of all chunks, the client's windows are
    moved to the server's time.
    """
    late = np.minimum(LATE_CHUNKS, chunks.decode_chunks // 2)
    if load == 1 and (share := _share_in_rows(table, chunks, late)) is not None:
        return share
    starts = _of(table, "start_us") - began_us
    ends = starts + _of(table, "period_us")
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
    ends_row = _of(table, "followed") == 0
    row = np.cumsum(ends_row) - ends_row  # (cycles,); which of the rows of cycles without a pause
    cycles = np.bincount(row)
    if cycles.size != late.size or (cycles < chunks.decode_chunks).any():
        return None
    place = np.arange(row.size) - (np.cumsum(cycles) - cycles)[row]
    made = _of(table, "tokens")[place < chunks.decode_chunks[row]]
    if (chunks.intervals.tokens > made).any():
        return None
    until = np.minimum(chunks.decode_chunks, cycles - 1)
    periods = _of(table, "period_us")[(late[row] <= place) & (place < until[row])]
    client_us = chunks.arrival_us[chunks.first + until] - chunks.arrival_us[chunks.first + late]
    return float(periods.sum() / client_us.sum()) if periods.size else None


def _overlap(starts: Table, ends: Table, opens: float, closes: float) -> float:
    """Return how much of the time from *starts* to *ends* lies in a window."""
    return float((np.minimum(ends, closes) - np.maximum(starts, opens)).clip(min=0).sum())
