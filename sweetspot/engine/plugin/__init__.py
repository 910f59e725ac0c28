"""What a server of ours carries inside SGLang: a folder on its PYTHONPATH with SGLang's own entry points.

`site/` runs in the server's processes, on its Python, and imports the standard library and torch only. Each
part of it does nothing unless its environment variable is set.
"""

from pathlib import Path

SITE = Path(__file__).with_name("site")
PLAIN = "plain"  # how the switch counts ordinary decode steps, which are the baseline's
# What the timer writes of a cycle, and in which unit.
UNITS = {
    "start_us": "microseconds, CLOCK_MONOTONIC",
    "period_us": "microseconds, to the next cycle's start",
    "followed": "1, or 0 where no cycle followed at once and the period ends with the call",
    "call_us": "microseconds, of the worker's call",
    "host_us": "microseconds, of the worker's call on the host",
    "batch_size": "requests",
    "num_steps": "steps",
    "tokens": "tokens of all requests, bonus tokens included",
    "plain": "1 for a decode step without speculation",
    "draft_us": "microseconds",
    "verify_us": "microseconds",
    "extend_us": "microseconds",
}
