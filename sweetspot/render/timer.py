"""Says what the phase timer costs, by the controls that are measured without it. Pure."""

from collections.abc import Sequence

from sweetspot.analyse.digits import NOTHING
from sweetspot.render.rows import Row

_SMALL_PERCENT = 0.5  # of a cycle: a cost that is certainly below it is none to speak of
_SAME = 0.001  # share by which two accept_lengths may differ for their cycles to be compared by speed


def timer_costs(rows: Sequence[Row]) -> list[str]:
    """Return a line for each control in *rows* whose timer was off: what the timer costs its twin.

    Tokens and accept_length of the two are the same, so the speed without the timer over that with it is the
    mean cycle with it over that without.

    Args:
        rows: Of any loads, each with its twin.
    """
    cells = {(row["variant"], row["load"]): row for row in rows}
    return [_cost(row, cells[row["baseline"], row["load"]]) for row in rows if row["untimed"]]


def _cost(row: Row, twin: Row) -> str:
    about = f"The timer's cost for {twin['variant']} at load {row['load']}"
    if row["speedup"] is None:
        return f"{about}: not measured"
    high = row["speedup_high"]
    if high is None:
        interval, bound = f"[{NOTHING}]", "one round bounds nothing"
    else:
        interval = f"[{_percent(row['speedup_low'])}, {_percent(high)}]"
        below = "below" if round(100 * (high - 1), 2) < _SMALL_PERCENT else "not below"
        bound = f"so at most {_percent(high)} %, which is {below} {_SMALL_PERCENT} %"
    lengths = row["accept_length"], twin["accept_length"]
    same = None not in lengths and abs(lengths[0] / lengths[1] - 1) <= _SAME
    return (
        f"{about}: {_percent(row['speedup'])} % {interval} of its mean cycle, {bound}; by {row['variant']}, "
        "the same in the same servers with the timer off between passes with it on"
        + ("" if same else "; its accept_length is another one, which is in this number")
    )


def _percent(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.2f}".replace("-", "−")
