"""Turns the cycles that the timer inside the server saw in a pass into columns: where their time went.

The timer and the client read one clock, CLOCK_MONOTONIC, so cycles belong to a pass by their start. Pure.
"""

from typing import Any

import numpy as np
import polars as pl

from sweetspot.errors import MeasureError
from sweetspot.measure.chunks import AGAIN, Chunks
from sweetspot.measure.requests import REAL, TEXT, WHOLE
from sweetspot.measure.timed import COLUMN, Table, Timed, column
from sweetspot.measure.timed_share import timed_share

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
    whole = (column(table, "batch_size") == load) & (column(table, "followed") == 1)
    row |= {"cycle_clock": timed.clock, "timed_cycles": int(whole.sum())}
    row["timed_tokens"] = int(column(table[whole], "tokens").sum())
    if not whole.any():
        return row
    taken = {"cycle_s": "period_us", "host_s": "host_us"}
    taken |= {f"{p}_s": f"{p}_us" for p in IN_CYCLE} if num_steps else {"decode_s": "call_us"}
    for name, source in taken.items():
        row[name] = float(np.nan_to_num(column(table[whole], source)).mean()) / 1e6 or None
    row["timed_share"] = timed_share(table, chunks, began_us, load)
    return row


def _check(table: Table, num_steps: int, where: str) -> None:
    """Raise unless every cycle did what the variant is named for."""
    steps, plain = column(table, "num_steps"), column(table, "plain")
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
