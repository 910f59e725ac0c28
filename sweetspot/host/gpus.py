"""Looks whether a server can start on this machine's GPUs now: the tools are there, and nobody else is.

Standard library only. What is wrong is said in one line before a model is loaded. SGLang itself would fail
minutes later, in a compilation or out of memory, or would be measured beside somebody else's work.
"""

import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sweetspot.errors import RunError
from sweetspot.host.nvidia import query

TOOLKIT = Path("/usr/local/cuda")  # where SGLang looks in the end
IDLE_MIB = 1024  # ASSUME: a driver alone takes less of a GPU, and whatever works there takes more
PATIENCE_S = 3.0  # for a server that was stopped a moment ago


class Gpu(NamedTuple):
    """What nvidia-smi says of a GPU."""

    number: str
    uuid: str
    used_mib: float
    processes: tuple[str, ...]  # `pid name`, those that can be seen from here


def check(args: Mapping[str, Any], environment: Mapping[str, str]) -> list[str]:
    """Return what was checked, a line each: none on a machine without GPUs, like one that submits jobs.

    Args:
        args: The server's arguments.
        environment: The server's.

    Raises:
        RunError: If SGLang would find no compiler, too few GPUs, or another process on them.
    """
    return [_compilers(environment), _idle(args, environment)] if _gpus() else []


def _compilers(environment: Mapping[str, str]) -> str:
    """Find nvcc and the C++ compiler where SGLang looks for them."""
    named = environment.get("CUDA_HOME") or environment.get("CUDA_PATH")
    on_path = shutil.which("nvcc", path=environment.get("PATH"))
    nvcc = Path(named, "bin", "nvcc") if named else Path(on_path or TOOLKIT / "bin" / "nvcc")
    if not nvcc.exists():
        raise RunError(
            f"{nvcc}: no such file, expected the nvcc that SGLang compiles kernels with when it starts; "
            f"install a CUDA toolkit, or name its folder in CUDA_HOME"
        )
    cxx = environment.get("CXX") or "c++"
    if not shutil.which(cxx, path=environment.get("PATH")):
        raise RunError(
            f"{cxx}: not on PATH, expected the C++ compiler that SGLang compiles kernels with when it "
            f"starts; install one, or name it in CXX"
        )
    return f"{nvcc} and {cxx} for the kernels that SGLang compiles"


def _idle(args: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Wait until nobody else is on the GPUs that a server would take, but not for long."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        gpus = _taken(args, environment)
        _enough(gpus, args, environment)
        busy = [gpu for gpu in gpus if gpu.processes or gpu.used_mib > IDLE_MIB]
        if not busy:
            return f"GPUs {', '.join(gpu.number for gpu in gpus) or 'unknown to nvidia-smi'}: idle"
        if time.monotonic() > deadline:
            break
        time.sleep(0.5)
    gpu = busy[0]
    by = ", ".join(gpu.processes) or "a process that can't be seen from here"
    raise RunError(
        f"GPU {gpu.number}: {gpu.used_mib:.0f} MiB in use by {by}, expected nobody else on it while a study "
        f"measures; stop that, or name other GPUs in CUDA_VISIBLE_DEVICES"
    )


def _enough(gpus: list[Gpu], args: Mapping[str, Any], environment: Mapping[str, str]) -> None:
    """Refuse a CUDA_VISIBLE_DEVICES that leaves a server fewer GPUs than it takes."""
    visible, wanted = environment.get("CUDA_VISIBLE_DEVICES"), int(args["tp-size"])
    if (
        visible is not None and len(gpus) < wanted and "MIG-" not in visible
    ):  # nvidia-smi lists no part of one
        raise RunError(
            f"CUDA_VISIBLE_DEVICES={visible}: {len(gpus)} of the GPUs that a server would take, expected "
            f"{wanted} by tp_size; name more, or unset it"
        )


def _taken(args: Mapping[str, Any], environment: Mapping[str, str]) -> list[Gpu]:
    """Return the GPUs that a server would take, in its order."""
    first, step = int(args.get("base-gpu-id", 0)), int(args.get("gpu-id-step", 1))
    return _visible(_gpus(), environment)[first::step][: int(args["tp-size"])]


def _visible(gpus: list[Gpu], environment: Mapping[str, str]) -> list[Gpu]:
    if "CUDA_VISIBLE_DEVICES" not in environment:
        return gpus
    names = [name.strip() for name in environment["CUDA_VISIBLE_DEVICES"].split(",") if name.strip()]
    return [gpu for name in names for gpu in gpus if name == gpu.number or gpu.uuid.startswith(name)]


def _gpus() -> list[Gpu]:
    """Return every GPU of this machine, in nvidia-smi's order, which is CUDA's where all are alike."""
    processes: dict[str, list[str]] = {}
    for uuid, pid, path in query("--query-compute-apps=gpu_uuid,pid,process_name"):
        processes.setdefault(uuid, []).append(f"{pid} {Path(path).name}")
    return [
        Gpu(index, uuid, float(used) if used.isdecimal() else 0.0, tuple(processes.get(uuid, [])))
        for index, uuid, used in query("--query-gpu=index,uuid,memory.used")
    ]
