"""Which engine a study runs on, and which packages that means before anything is installed."""

from pathlib import Path
from typing import Any

from sweetspot.host import env, installed
from sweetspot.host.facts import facts
from sweetspot.plan.json_file import read_json

FIRST_CUDA_13_DRIVER = 580
FAKE_VERSION = "0.5.23"  # whose command line and answers the stand-in copies


def resolve(asked: str, engine_file: Path) -> str:
    """Return the engine that *asked* means for a study, the same one ever after.

    Args:
        asked: `engine` of the study.
        engine_file: `plan/engine.json` of the study, written when it was resolved first.
    """
    if asked != "auto":
        return asked
    if engine_file.exists():
        known = read_json(engine_file, "asked", "name")
        if known["asked"] == "auto":
            return str(known["name"])
    return suitable(facts())


def suitable(host: dict[str, Any]) -> str:
    """Return the locked engine that fits *host*: what `auto` means there."""
    if not host["gpus"]:
        return "engine-cpu"
    newest = int(host["driver"].split(".")[0]) >= FIRST_CUDA_13_DRIVER
    return "engine-cu13" if newest else "engine-cu12"


def packages(engine: str, python: str | None) -> dict[str, str]:
    """Return the version of each package that *engine* has, or will have once it is installed.

    Args:
        engine: A locked one, `external` or `fake`.
        python: The interpreter of an external engine.

    Raises:
        InstallError: If there is no such lock, or no SGLang beside *python*.
    """
    if engine == "fake":
        return {"sglang": FAKE_VERSION}
    if engine == "external":
        found: dict[str, str] = installed.record_external(Path(str(python)))["packages"]
        return found
    return installed.pins(env.lock_of(engine))


def describe(asked: str, engine: str, python: str | None) -> dict[str, Any]:
    """Return what `plan/engine.json` holds: the engine asked for, the one it is, and what is installed there.

    Raises:
        InstallError: If a locked environment is not what its lock pins, or *python* has no SGLang.
    """
    if engine == "fake":
        found: dict[str, Any] = {"name": engine, "built_by": "fake", "packages": packages(engine, None)}
    elif engine == "external":
        found = installed.record_external(Path(str(python)))
    else:
        found = installed.record(engine)
    return {"asked": asked, **found}
