"""Switches a one-load server between variants, and proves by its own counts what ran. Standard library only.

A switch is proved twice: before a pass the server says which step count is set, after it how many cycles ran
at which. A server that does not switch, or runs something else than it says, makes its launch fail.
"""

import time
from typing import Any

from sweetspot.engine.plugin import PLAIN
from sweetspot.engine.sglang import BUSY_POLL_S, BUSY_S, Server
from sweetspot.errors import EngineError

# Of a pass: `asked`, `answered`, `num_steps` by the server, `timer` if it is turned too, and later `cycles`.
Switch = dict[str, Any]


def switch(server: Server, num_steps: int, timer: bool | None = None) -> Switch:
    """Switch *server* to *num_steps*, 0 for the baseline, and its timer on or off unless that is None.

    Raises:
        EngineError: If it refuses for longer than it can be busy, or then says another step count.
    """
    until = time.monotonic() + BUSY_S
    while not (answered := server.switch(num_steps, timer)) and time.monotonic() < until:
        time.sleep(BUSY_POLL_S)
    found = server.running()["num_steps"]
    if not answered:
        raise EngineError(
            f"/set_internal_state: the switch to {num_steps} steps is refused, expected it obeyed; "
            "look in its log for `speculative_adaptive disabled`, or set `launches: dedicated`",
            "no_switch",
        )
    if found != num_steps:
        raise _lie(num_steps, f"{found} steps")
    made = {"asked": num_steps, "answered": answered, "num_steps": found}
    return made if timer is None else made | {"timer": timer}


def prove(server: Server, made: Switch) -> Switch:
    """Return the switch *made*, with the cycles that ran since.

    Raises:
        EngineError: If any of them was something else than what was asked for, or none ran.
    """
    cycles = server.running()["cycles"]
    if set(cycles) != {str(made["asked"] or PLAIN)}:
        raise _lie(made["asked"], f"cycles {cycles}")
    return made | {"cycles": cycles}


def _lie(num_steps: int, found: str) -> EngineError:
    return EngineError(
        f"the server: {found} after a switch to {f'{num_steps} steps' if num_steps else 'the baseline'}, "
        "expected that alone; set `launches: dedicated`",
        "no_switch",
    )
