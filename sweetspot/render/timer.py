"""Says what the phase timer costs, by the controls that are measured without it. Pure."""

from collections.abc import Sequence

from sweetspot.render.rows import NOTHING, Row

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
    about = f"the timer's cost for {twin['variant']} at load {row['load']}"
    if row["speedup"] is None:
        return f"{about}: not measured"
    ends = [_percent(row[f"speedup_{end}"]) for end in ("low", "high")]
    most = f", so at most {ends[1]} %" if row["speedup_high"] is not None else ""
    interval = f"[{', '.join(ends)}]" if most else f"[{NOTHING}]"
    lengths = row["accept_length"], twin["accept_length"]
    same = None not in lengths and abs(lengths[0] / lengths[1] - 1) <= _SAME
    return (
        f"{about}: {_percent(row['speedup'])} % {interval} of its mean cycle{most}, by {row['variant']}, the "
        f"same in the same servers with the timer off between passes with it on"
        + ("" if same else "; its accept_length is another one, which is in this number")
    )


def _percent(ratio: float | None) -> str:
    return NOTHING if ratio is None else f"{100 * (ratio - 1):+.2f}".replace("-", "−")
