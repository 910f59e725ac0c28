"""What machine this is, without its name or its users', and which engine suits it."""

import os
import platform
import re
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pynvml

FIRST_CUDA_13_DRIVER = 580


def facts() -> dict[str, Any]:
    """Return what can change a measurement on this host, and nothing that names it.

    Returns:
        `cpu` (model, physical and logical cores), `memory_bytes`, `kernel`, `python`, `driver` and `cuda`
        (null without an NVIDIA driver), `gpus` (a list of name, memory_bytes, power_limit_w, and the most
        that its clocks reach, in MHz) and `topology` (`nvidia-smi topo -m`, or null).
    """
    return {
        "cpu": {
            "model": _cpu_model(),
            "physical_cores": psutil.cpu_count(logical=False),
            "logical_cores": psutil.cpu_count(),
            "usable_cores": len(os.sched_getaffinity(0)),
        },
        "memory_bytes": psutil.virtual_memory().total,
        "kernel": platform.release(),
        **_nvidia(),
    }


def resolve_engine(asked: str, host: dict[str, Any]) -> str:
    """Return the engine that *asked* means on *host*: itself, unless it is `auto`."""
    if asked != "auto":
        return asked
    if not host["gpus"]:
        return "engine-cpu"
    newest = int(host["driver"].split(".")[0]) >= FIRST_CUDA_13_DRIVER
    return "engine-cu13" if newest else "engine-cu12"


def _cpu_model() -> str:
    found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def _nvidia() -> dict[str, Any]:
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return {"driver": None, "cuda": None, "gpus": [], "topology": None}
    try:
        version = pynvml.nvmlSystemGetCudaDriverVersion_v2()
        gpus = [pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())]
        return {
            "driver": pynvml.nvmlSystemGetDriverVersion(),
            "cuda": f"{version // 1000}.{version % 1000 // 10}",
            "gpus": [_gpu(gpu) for gpu in gpus],
            "topology": _topology(),
        }
    finally:
        pynvml.nvmlShutdown()


def _gpu(gpu: Any) -> dict[str, Any]:  # noqa: ANN401  pynvml's handles have no type
    return {
        "name": pynvml.nvmlDeviceGetName(gpu),
        "memory_bytes": int(pynvml.nvmlDeviceGetMemoryInfo(gpu).total),
        "power_limit_w": pynvml.nvmlDeviceGetEnforcedPowerLimit(gpu) / 1000,
        "max_sm_clock_mhz": pynvml.nvmlDeviceGetMaxClockInfo(gpu, pynvml.NVML_CLOCK_SM),
        "max_memory_clock_mhz": pynvml.nvmlDeviceGetMaxClockInfo(gpu, pynvml.NVML_CLOCK_MEM),
    }


def _topology() -> str | None:
    try:
        answer = subprocess.run(["nvidia-smi", "topo", "-m"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return re.sub(r"\x1b\[[0-9;]*m", "", answer.stdout)
