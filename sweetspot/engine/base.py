"""Which program serves: SGLang under one of its environments, or the stand-in of the tests."""

import sys
from dataclasses import dataclass
from pathlib import Path

from sweetspot.engine import cpu, plugin

PACKAGE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Engine:
    """A server's program. Its command line and its HTTP answers are SGLang's."""

    name: str
    python: Path  # interpreter that has the module
    module: str  # run with `python -m`
    import_paths: tuple[Path, ...] = ()  # folders of ours that the server imports from


def sglang(name: str, python: Path) -> Engine:
    """Return SGLang as the environment *name* has it.

    Args:
        name: `engine-cpu`, `engine-cu12`, `engine-cu13` or `external`.
        python: Its interpreter.
    """
    sites = (plugin.SITE, cpu.SITE) if name == "engine-cpu" else (plugin.SITE,)
    return Engine(name, python, "sglang.launch_server", sites)


def fake() -> Engine:
    """Return the stand-in, which answers as SGLang does and makes its speeds and tokens up."""
    return Engine("fake", Path(sys.executable), "sweetspot.engine.fake", (PACKAGE.parent,))
