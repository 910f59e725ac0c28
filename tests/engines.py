"""The engines that tests may find installed."""

from pathlib import Path

import pytest

from sweetspot.errors import InstallError
from sweetspot.host import env


def cpu_python() -> Path:
    """Return the interpreter of `engine-cpu`, or skip the test that asks for it."""
    try:
        return env.python_of("engine-cpu")
    except InstallError as missing:
        pytest.skip(str(missing))
