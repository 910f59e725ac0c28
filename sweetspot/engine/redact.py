"""Takes secrets, and what names a machine or its users, out of whatever is written."""

import getpass
import os
import re
import socket
from pathlib import Path
from typing import Any

SECRET = re.compile(r"api_key|token$|secret|password", re.IGNORECASE)
HIDDEN = "<hidden>"


class Redactor:
    """Replaces what must not be published by what it was.

    Args:
        secrets: Strings that may stand nowhere.
    """

    def __init__(self, *secrets: str) -> None:
        here, home, user, host = str(Path.cwd()), str(Path.home()), getpass.getuser(), socket.gethostname()
        self._plain = [(secret, HIDDEN) for secret in secrets] + [(here + "/", ""), (here, ".")]
        # ASSUME: a home folder of one level is a service's, and its name a common word
        self._plain += [(home, "~")] if home.count("/") > 1 else []
        words = [(host, "<host>")] + ([(user, "<user>")] if user != "root" else [])
        self._words = [(re.compile(rf"(?<![\w.-]){re.escape(word)}(?![\w-])"), name) for word, name in words]

    def text(self, text: str) -> str:
        """Return *text* without secrets, the host's and the user's name, and paths to this folder."""
        for found, name in self._plain:
            text = text.replace(found, name)
        for pattern, name in self._words:
            text = pattern.sub(name, text)
        return text

    def data(self, data: Any) -> Any:  # noqa: ANN401  any JSON
        """Return *data*, any JSON, with every string redacted and the value of every secret's key hidden."""
        if isinstance(data, dict):
            return {
                key: HIDDEN if SECRET.search(key) and isinstance(value, str) else self.data(value)
                for key, value in data.items()
            }
        if isinstance(data, list):
            return [self.data(item) for item in data]
        return self.text(data) if isinstance(data, str) else data


def visible_environment(environment: dict[str, str]) -> dict[str, str]:
    """Return the variables that can change what a server does, secrets left out, sorted."""
    matters = re.compile(
        r"^(NCCL|SGLANG|SGL|CUDA|NVIDIA|TORCH|PYTORCH|TRITON|HF|OMP|MKL|OPENBLAS|GLOO|UCX|TVM|FLASHINFER)_"
        r"|^(LD_LIBRARY_PATH|LD_PRELOAD|PYTHONPATH|TORCHDYNAMO_DISABLE|MALLOC_ARENA_MAX)$"
    )
    return {
        name: value
        for name, value in sorted(environment.items())
        if matters.search(name) and not SECRET.search(name)
    }


def inherited_environment() -> dict[str, str]:
    """Return the environment that a server inherits: all of ours but what Snakemake and Python set for us."""
    ours = re.compile(r"^(OMP|MKL|OPENBLAS|NUMEXPR|GOTO|VECLIB)_NUM_THREADS$|^VECLIB_|^PYTHON|^VIRTUAL_ENV$")
    return {name: value for name, value in os.environ.items() if not ours.search(name)}
