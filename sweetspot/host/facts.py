"""What machine this is, without its name or its users'. Standard library only."""

import os
import platform
import re
from collections import Counter
from pathlib import Path
from typing import Any

from sweetspot.host import node
from sweetspot.host.nccl_conf import nccl_conf
from sweetspot.host.nvidia import nvidia_smi, query

_QUERY = ("driver_version", "name", "memory.total", "power.limit", "clocks.max.sm", "clocks.max.memory")


def facts() -> dict[str, Any]:
    """Return what can change a measurement on this host, and nothing that names it.

    Returns:
        `node` (a label, see `node.label`), `cpu` (model, logical and usable cores), `memory_bytes`, `kernel`,
        `driver` (null without an NVIDIA driver), `gpus` (a list of name, memory_mib, power_limit_w,
        max_sm_clock_mhz, max_memory_clock_mhz), `topology` (`nvidia-smi topo -m`, or null) and `nccl_conf`
        (what NCCL's own files set).
    """
    rows = query(f"--query-gpu={','.join(_QUERY)}")
    return {
        "node": node.label(node.name()),
        "cpu": {
            "model": _cpu_model(),
            "logical_cores": os.cpu_count(),
            "usable_cores": len(os.sched_getaffinity(0)),
        },
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": platform.release(),
        "driver": rows[0][0] if rows else None,
        "gpus": [_gpu(*row[1:]) for row in rows],
        "topology": nvidia_smi("topo", "-m") if rows else None,
        "nccl_conf": nccl_conf(),
    }


def fingerprint(host: dict[str, Any]) -> str:
    """Return what two hosts have to share for their speeds to be compared."""
    counted = Counter(gpu["name"] for gpu in host["gpus"])
    gpus = ", ".join(f"{count} x {name}" for name, count in counted.items()) or "no GPU"
    return f"{host['cpu']['model']}, {host['cpu']['usable_cores']} cores, {gpus}, driver {host['driver']}"


def _cpu_model() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def _gpu(name: str, memory: str, power: str, sm_clock: str, memory_clock: str) -> dict[str, Any]:
    return {
        "name": name,
        "memory_mib": _number(memory),
        "power_limit_w": _number(power),
        "max_sm_clock_mhz": _number(sm_clock),
        "max_memory_clock_mhz": _number(memory_clock),
    }


def _number(text: str) -> float | None:
    """Return a number of nvidia-smi's, None where it says `[N/A]`."""
    try:
        return float(text)
    except ValueError:
        return None
