"""How fine a difference between two servers may be claimed, whatever its interval. Pure.

An interval holds what varies from round to round. Two servers on a CPU differ by up to 10 % in how their
memory came to lie, for as long as they live; a few rounds draw too few of them to show it.
"""

from collections.abc import Mapping
from typing import Any

CPU_SERVERS = 0.10  # share by which two servers of one kind were seen to differ


def resolution(variant: Mapping[str, Any], plan: Mapping[str, Any]) -> float:
    """Return the share by which *variant* has to differ from its baseline before it is said to.

    Args:
        variant: Of the plan.
        plan: The content of plan.json.
    """
    launches = [launch for launch in plan["launches"] if variant["id"] in launch["variants"]]
    together = any(variant["baseline"] in launch["variants"] for launch in launches)
    on_cpu = any(launch["args"].get("device") == "cpu" for launch in launches)
    return CPU_SERVERS if on_cpu and not together else 0.0
