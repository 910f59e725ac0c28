"""What flake.nix has to know of an environment before Nix downloads it: `envs/NAME/wheelhouse.json`.

    files    the sha256 of each file in the folder that the wheels follow from
    hash     of all wheels of the lock in one folder, as pip downloads it and Nix hashes it

An environment with files that pip finds in no index of its own (`by-hand.lock`) has none: Nix builds none.
"""

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from sweetspot.errors import InstallError
from sweetspot.host import env

DESCRIPTION = "wheelhouse.json"

# ASSUME: the Python and the C library of the nixpkgs in flake.lock. Newer ones may take other wheels.
_PYTHON = "3.12"
_GLIBC_2 = 42
_PLATFORMS = [*(f"manylinux_2_{minor}_x86_64" for minor in range(_GLIBC_2, 4, -1)), "manylinux2014_x86_64"]


def describe(name: str) -> dict[str, Any]:
    """Return what `wheelhouse.json` has to hold for the environment *name* as its folder is now.

    Raises:
        InstallError: If pip can't download what the lock pins, or Nix is not there to hash it.
    """
    folder = env.lock_of(name).parent
    if shutil.which("nix") is None:
        raise InstallError("nix: not on PATH, expected it to hash wheels; install Debian's nix-bin")
    files = sorted(path for path in folder.iterdir() if path.name != DESCRIPTION)
    return {
        "files": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files},
        "hash": _hash(_download(name)),
    }


def write(name: str) -> None:
    """Write `wheelhouse.json` of the environment *name*, if Nix builds that.

    Raises:
        InstallError: As `describe`.
    """
    folder = env.lock_of(name).parent
    if not (folder / "by-hand.lock").exists():
        (folder / DESCRIPTION).write_text(json.dumps(describe(name), indent=2) + "\n")


def _download(name: str) -> Path:
    """Return the folder with the wheels of a lock, downloaded unless it is there."""
    place = env.ROOT / ".wheels" / f"{name}-{env.digest_of_lock(name)[:12]}"
    if place.exists():
        return place
    partial = place.with_name(f"{place.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    lock = env.lock_of(name)
    answer = subprocess.run(
        [
            *(sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check"),
            *("--no-deps", "--require-hashes", "--only-binary=:all:", "--no-cache-dir"),
            *(f"--python-version={_PYTHON}", *(f"--platform={platform}" for platform in _PLATFORMS)),
            *("--dest", str(partial), "--requirement", str(lock)),
        ],
        capture_output=True,
        text=True,
    )
    env.check_pip(name, answer)
    return partial.rename(place)


def _hash(wheels: Path) -> str:
    nix = ["nix", "--extra-experimental-features", "nix-command", "hash", "path", "--sri", str(wheels)]
    try:
        return subprocess.run(nix, capture_output=True, text=True, check=True).stdout.strip()
    except subprocess.CalledProcessError as error:
        raise InstallError(f"nix hash path: {error.stderr.strip()}, expected a hash; mend Nix") from None
