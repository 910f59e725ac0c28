"""Builds the environment that a `requirements.lock` pins.

An environment is a folder of its own for each content of its lock, so a changed lock never meets a
half-updated one. Under Nix, `ENV_ENGINE_CPU` and its like name environments that are built already.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from sweetspot.errors import InstallError

ROOT = Path(__file__).resolve().parents[2]

_PYTHONS = {"engine-cu12": ("3.11", "3.12"), "engine-cu13": ("3.11", "3.12")}  # a wheel for every package


def folder(name: str) -> Path:
    """Return where the environment *name* lies, built or not.

    Raises:
        InstallError: If the project has no such environment.
    """
    if place := prebuilt(name):
        return Path(place)
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
    if not (prebuilt(name) or (folder(name) / ".complete").exists()):
        raise InstallError(
            f"{folder(name).relative_to(ROOT)}: not built, expected the environment of "
            f"envs/{name}/requirements.lock; "
            f"build it with `snakemake --cores 1 --forcerun env -- results/env/{name}.json`"
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
    if prebuilt(name):
        return
    place, lock = folder(name), lock_of(name)
    place.parent.mkdir(exist_ok=True)
    with place.with_suffix(".lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if (place / ".complete").exists():
            return
        made = subprocess.run(
            [_interpreter(name), "-m", "venv", "--clear", place], capture_output=True, text=True
        )
        if made.returncode != 0:
            raise InstallError(
                f"{place}: {_last_line(made.stdout + made.stderr)}, expected a virtual environment; "
                f"install Python's venv module"
            )
        installed = _pip_install(place, lock)
        if installed.returncode != 0 and extra_index:
            installed = _pip_install(place, lock, "--extra-index-url", extra_index)
        check_pip(name, installed)
        (place / ".complete").touch()


def lock_of(name: str) -> Path:
    """Return the lock of the environment *name*.

    Raises:
        InstallError: If the project has no such environment.
    """
    lock = ROOT / "envs" / name / "requirements.lock"
    if not lock.exists():
        known = ", ".join(sorted(path.parent.name for path in (ROOT / "envs").glob("*/requirements.lock")))
        raise InstallError(f"envs/{name}: no requirements.lock, expected one of {known}; correct the name")
    return lock


def prebuilt(name: str) -> str | None:
    """Return where Nix built the environment *name*, None if it did not."""
    return os.environ.get("ENV_" + name.upper().replace("-", "_"))


def check_pip(name: str, answer: subprocess.CompletedProcess[str]) -> None:
    """Raise if pip found no files for the lock of the environment *name*.

    Raises:
        InstallError: With what pip said last.
    """
    if answer.returncode != 0:
        raise InstallError(
            f"envs/{name}/requirements.lock: {_last_line(answer.stderr)}, expected pip to find files with "
            f"these hashes; check which indexes and folders pip knows"
        )


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
