"""The environment that a server is started in: ours, without what Snakemake and Python set, and the study's.

What changes how SGLang or NCCL works has to stand in the study. A variable of the shell would reach every
server, be in no identity, and be gone at the next start.
"""

import os
import re
from collections.abc import Mapping

from sweetspot.engine.redact import SECRET
from sweetspot.errors import RunError
from sweetspot.plan.flags import OWNED_ENV

_NOT_A_SERVERS = re.compile(
    r"^(OMP|MKL|OPENBLAS|NUMEXPR|GOTO|VECLIB)_NUM_THREADS$|^VECLIB_|^PYTHON|^VIRTUAL_ENV$|^SWEETSPOT_"
)
_THE_STUDYS = re.compile(r"^(NCCL|SGLANG|SGL)_(?!VERSION$)")  # images tell a version, which nothing reads
_OF_CONSEQUENCE = re.compile(
    r"^(NCCL|SGLANG|SGL|CUDA|NVIDIA|TORCH|PYTORCH|TRITON|HF|OMP|MKL|OPENBLAS|GLOO|UCX|TVM|FLASHINFER)_"
    r"|^(LD_LIBRARY_PATH|LD_PRELOAD|PYTHONPATH|TORCHDYNAMO_DISABLE|MALLOC_ARENA_MAX|SWEETSPOT_SWITCH)$"
)


def inherited() -> dict[str, str]:
    """Return what a server inherits. Thread counts are not in it: Snakemake's follow `--cores`."""
    return {name: value for name, value in os.environ.items() if not _NOT_A_SERVERS.search(name)}


def visible(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that can change what a server does, secrets left out, sorted."""
    return {
        name: value
        for name, value in sorted(environment.items())
        if _OF_CONSEQUENCE.search(name) and not SECRET.search(name)
    }


def check_inherited(environment: Mapping[str, str], study: Mapping[str, str]) -> None:
    """Refuse a shell that sets what only the study may.

    Args:
        environment: Of this process.
        study: Of a launch.

    Raises:
        RunError: Naming the first NCCL or SGLang variable that the launch does not set itself.
    """
    for name in sorted(environment.keys() - study.keys()):
        if _THE_STUDYS.search(name):
            writable = "" if name in OWNED_ENV else "write it into engines.ENGINE.env, or "
            raise RunError(
                f"{name}={environment[name]}: set in this shell, expected in the study alone, "
                f"which then says what was measured; {writable}`unset {name}`"
            )
