"""Builds the environment that a `requirements.lock` pins, and proves what is really installed in it.

An environment is a folder of its own for each content of its lock, so a changed lock never meets a
half-updated one. Under Nix, `ENV_ENGINE_CPU` and its like name environments that are built already.
"""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from sweetspot.errors import InstallError
from sweetspot.host.lock import PIN

ROOT = Path(__file__).resolve().parents[2]
BESIDE_THE_LOCK = {"pip", "setuptools"}  # what `python -m venv` brings

_PYTHONS = {"engine-cu12": ("3.11", "3.12"), "engine-cu13": ("3.11", "3.12")}  # a wheel for every package
_LIST_PACKAGES = """
import importlib.metadata, json, platform
packages = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions()}
print(json.dumps({"python": platform.python_version(), "packages": packages}))
"""


def folder(name: str) -> Path:
    """Return where the environment *name* lies, built or not.

    Raises:
        InstallError: If the project has no such environment.
    """
    if prebuilt := _prebuilt(name):
        return Path(prebuilt)
    return ROOT / ".envs" / f"{name}-{digest_of_lock(name)[:12]}"


def digest_of_lock(name: str) -> str:
    """Return a hash of what a lock pins: versions and hashes of files, not its comments.

    Raises:
        InstallError: If the project has no such environment.
    """
    lines = [line.strip() for line in lock_of(name).read_text().splitlines()]
    pinned = [line for line in lines if line and not line.startswith("#")]
    return hashlib.sha256("\n".join(pinned).encode()).hexdigest()


def python_of(name: str) -> Path:
    """Return the interpreter of the environment *name*.

    Raises:
        InstallError: If the environment is not built.
    """
    python = folder(name) / "bin" / "python"
    if not (_prebuilt(name) or (folder(name) / ".complete").exists()):
        raise InstallError(
            f"{folder(name).relative_to(ROOT)}: not built, expected the environment of "
            f"envs/{name}/requirements.lock; build it with `snakemake --cores 1 results/env/{name}.json`"
        )
    return python


def build(name: str, extra_index: str | None = None) -> None:
    """Install the environment *name* from its lock, unless it is there already.

    Whoever comes first builds, under a lock file; others wait.

    Args:
        name: The folder in `envs/`.
        extra_index: Package index to ask as well if pip's own hold no file that fits the hashes.

    Raises:
        InstallError: If no interpreter fits, or pip can't install what the lock pins.
    """
    if _prebuilt(name):
        return
    place, lock = folder(name), lock_of(name)
    place.parent.mkdir(exist_ok=True)
    with place.with_suffix(".lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if (place / ".complete").exists():
            return
        subprocess.run([_interpreter(name), "-m", "venv", "--clear", place], check=True)
        installed = _pip_install(place, lock)
        if installed.returncode != 0 and extra_index:
            installed = _pip_install(place, lock, "--extra-index-url", extra_index)
        if installed.returncode != 0:
            raise InstallError(
                f"envs/{name}/requirements.lock: pip can't install it; {_last_line(installed.stderr)}"
            )
        (place / ".complete").touch()


def record(name: str) -> dict[str, Any]:
    """Return what is installed in the environment *name*, after comparing it with its lock.

    Returns:
        `name`, `built_by`, `lock_sha256`, `python`, and `packages` (name: version, sorted).

    Raises:
        InstallError: If a package is missing, at another version, or not in the lock.
    """
    lock = lock_of(name)
    installed = inspect(python_of(name))
    locked = pins(lock)
    found = installed["packages"]
    stray = sorted(found.keys() - locked.keys() - BESIDE_THE_LOCK - {"sweetspot"})
    wrong = [f"{p} {found.get(p, 'missing')}" for p in locked if found.get(p) != locked[p]]
    if stray or wrong:
        raise InstallError(
            f"{folder(name)}: {', '.join([*wrong, *stray])}, expected what {lock.relative_to(ROOT)} pins "
            f"and no more; delete the folder and start again"
        )
    return {
        "name": name,
        "built_by": "nix" if _prebuilt(name) else "pip",
        "lock_sha256": hashlib.sha256(lock.read_bytes()).hexdigest(),
        **installed,
    }


def record_external(python: Path) -> dict[str, Any]:
    """Return what is installed beside the user's own *python*, and how it differs from the nearest lock.

    Returns:
        As `record`, with `lock_sha256` null, and `nearest_lock` and `differences` (package: [locked, found])
        added. The nearest lock is the engine's with the fewest differences.

    Raises:
        InstallError: If it is no interpreter, or has no SGLang.
    """
    installed = inspect(python)
    found = installed["packages"]
    if "sglang" not in found:
        raise InstallError(f"engines.external.python: {python} has no sglang, expected one; install it there")
    differences = {
        lock.parent.name: {
            package: [locked.get(package), found.get(package)]
            for package in sorted((locked.keys() | found.keys()) - BESIDE_THE_LOCK)
            if locked.get(package) != found.get(package)
        }
        for lock in sorted((ROOT / "envs").glob("engine-*/requirements.lock"))
        for locked in [pins(lock)]
    }
    nearest = min(differences, key=lambda name: len(differences[name]))
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
        raise InstallError(f"{python}: {error}, expected a Python interpreter") from None
    listed: dict[str, Any] = json.loads(answer.stdout)
    listed["packages"] = dict(sorted((_normal(n), v) for n, v in listed["packages"].items()))
    return listed


def pins(lock: Path) -> dict[str, str]:
    """Return the version of each package that *lock* pins, by normalised name."""
    return {_normal(name): version for name, version in PIN.findall(lock.read_text())}


def lock_of(name: str) -> Path:
    """Return the lock of the environment *name*.

    Raises:
        InstallError: If the project has no such environment.
    """
    lock = ROOT / "envs" / name / "requirements.lock"
    if not lock.exists():
        known = ", ".join(sorted(path.parent.name for path in (ROOT / "envs").glob("*/requirements.lock")))
        raise InstallError(f"envs/{name}: no requirements.lock, expected one of {known}")
    return lock


def _normal(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def _prebuilt(name: str) -> str | None:
    return os.environ.get("ENV_" + name.upper().replace("-", "_"))


def _interpreter(name: str) -> str:
    """Return an interpreter that every package of the environment has a wheel for."""
    here = "{}.{}".format(*sys.version_info[:2])
    allowed = _PYTHONS.get(name, ("3.11", "3.12", "3.13"))
    if here in allowed:
        return sys.executable
    for version in reversed(allowed):
        if found := shutil.which(f"python{version}"):
            return found
    raise InstallError(
        f"envs/{name}: Python {here} and no python{' or python'.join(allowed)} on PATH, "
        f"expected a version with wheels for all of its packages; install one"
    )


def _pip_install(place: Path, lock: Path, *options: str) -> subprocess.CompletedProcess[str]:
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    exactly = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--requirement", str(lock)]
    return subprocess.run([*pip, *exactly, *options], capture_output=True, text=True)


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["no message"])[-1]
