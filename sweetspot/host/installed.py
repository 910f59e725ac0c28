"""What is really installed in an environment, against its lock."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from sweetspot.errors import InstallError
from sweetspot.host import env
from sweetspot.host.lock import PIN

BESIDE_THE_LOCK = {"pip", "setuptools"}  # what `python -m venv` brings

_LIST_PACKAGES = """
import importlib.metadata, json, platform
packages = {}
for found in importlib.metadata.distributions():
    packages.setdefault(found.metadata["Name"], found.version)  # the first on the path is the one imported
print(json.dumps({"python": platform.python_version(), "packages": packages}))
"""


def record(name: str) -> dict[str, Any]:
    """Return what is installed in the environment *name*, after comparing it with its lock.

    Returns:
        `name`, `built_by`, `lock_sha256`, `python`, and `packages` (name: version, sorted).

    Raises:
        InstallError: If a package is missing, at another version, or not in the lock.
    """
    lock = env.lock_of(name)
    installed = inspect(env.python_of(name))
    locked = pins(lock)
    found = installed["packages"]
    stray = sorted(found.keys() - locked.keys() - BESIDE_THE_LOCK - {"sweetspot"})
    wrong = [f"{p} {found.get(p, 'missing')}" for p in locked if found.get(p) != locked[p]]
    if stray or wrong:
        raise InstallError(
            f"{env.folder(name)}: {', '.join([*wrong, *stray])}, expected what "
            f"{lock.relative_to(env.ROOT)} pins and no more; delete the folder and start again"
        )
    return {
        "name": name,
        "built_by": "nix" if env.prebuilt(name) else "pip",
        "lock_sha256": env.digest_of_lock(name),
        **installed,
    }


def record_external(python: Path) -> dict[str, Any]:
    """Return what is installed beside the user's own *python*, and how it differs from the nearest lock.

    Returns:
        As `record`, with `lock_sha256` null, and `nearest_lock` and `differences` (package: [locked, found])
        added. The nearest lock has the same SGLang, and of those, or if none has, the fewest
        differences.

    Raises:
        InstallError: If it is no interpreter, or has no SGLang or not what that imports.
    """
    installed = inspect(python)
    found = installed["packages"]
    if "sglang" not in found:
        raise InstallError(f"engines.external.python: {python} has no sglang, expected one; install it there")
    if not any("triton" in name.split("-") for name in found):  # also pytorch-triton, pytorch-triton-rocm
        raise InstallError(
            f"engines.external.python: {python} has no triton, expected one, which SGLang imports; install "
            f"it there, or write `engine: engine-cpu` if it is of that environment"
        )
    differences = {
        lock.parent.name: {
            package: [locked.get(package), found.get(package)]
            for package in sorted((locked.keys() | found.keys()) - BESIDE_THE_LOCK)
            if locked.get(package) != found.get(package)
        }
        for lock in sorted((env.ROOT / "envs").glob("engine-*/requirements.lock"))
        for locked in [pins(lock)]
    }
    nearest = min(differences, key=lambda name: ("sglang" in differences[name], len(differences[name])))
    return {
        "name": "external",
        "built_by": "user",
        "lock_sha256": None,
        **installed,
        "nearest_lock": nearest,
        "differences": differences[nearest],
    }


def inspect(python: Path) -> dict[str, Any]:
    """Return the version of *python* and the packages that it sees, by their normalised names.

    Raises:
        InstallError: If it can't be run.
    """
    try:
        answer = subprocess.run(
            [python, "-I", "-c", _LIST_PACKAGES], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError) as error:
        found = getattr(error, "strerror", None) or error
        raise InstallError(f"{python}: {found}, expected a Python interpreter; correct its path") from None
    try:
        listed: dict[str, Any] = json.loads(answer.stdout)
    except ValueError:
        raise InstallError(f"{python}: no Python, expected an interpreter; correct its path") from None
    listed["packages"] = dict(sorted((_normal(n), v) for n, v in listed["packages"].items()))
    return listed


def pins(lock: Path) -> dict[str, str]:
    """Return the version of each package that *lock* pins, by normalised name."""
    return {_normal(name): version for name, version in PIN.findall(lock.read_text())}


def _normal(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()
