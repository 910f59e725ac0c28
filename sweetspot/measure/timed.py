"""The cycles that the timer inside a server saw, as numbers with a column for each of the record's. Pure."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sweetspot.engine.plugin import UNITS
from sweetspot.run.cycles import Cycles

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


def column(table: Table, name: str) -> Table:
    """Return the column *name* of cycles. Shape (cycles,)."""
    return np.asarray(table[:, COLUMN[name]])
