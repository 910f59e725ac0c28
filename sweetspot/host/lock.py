"""Turns each `envs/NAME/requirements.in` into a `requirements.lock`: names, versions, hashes, no address.

Only what was published by an environment's date counts, so locking twice gives the same bytes; newer
versions come by moving the date. Beside `requirements.in` may lie `overrides.in` (versions that replace
what a package asks for), `excludes.in` (packages left out although others ask for them) and `by-hand.lock`
(pins that the package index lacks).
"""

import re
import subprocess
from pathlib import Path

from sweetspot.errors import InstallError

# An engine's date is a few days after its SGLang: what it was released with, not what came later.
DATES = {
    "workflow": "2026-11-28",
    "workflow-dev": "2026-11-28",
    "engine-cpu": "2026-11-28",
    "engine-cu12": "2026-04-15",
    "engine-cu13": "2026-07-29",
}
PIN = re.compile(r"^([^\s#=]+)==(\S+)", re.MULTILINE)

# uv repeats pyproject.toml's [tool.uv] environments on each line. pip would read them on the machine it
# runs on and, elsewhere, install nothing without a word.
_REPEATED = ["python_full_version < '3.14'", "platform_machine == 'x86_64'", "sys_platform == 'linux'"]


def lock(env: Path, date: str) -> None:
    """Write the lock of the environment folder *env*.

    Args:
        env: The folder, with its `requirements.in`.
        date: The last day that counts, `YYYY-MM-DD`.

    Raises:
        InstallError: If the requirements have no solution, or the lock would name an address.
    """
    by_hand_file = env / "by-hand.lock"
    by_hand = by_hand_file.read_text() if by_hand_file.exists() else ""
    options = [
        option
        for kind in ("overrides", "excludes")
        if (env / f"{kind}.in").exists()
        for option in (f"--{kind}", str(env / f"{kind}.in"))
    ]
    options += [option for name, _ in PIN.findall(by_hand) for option in ("--no-emit-package", name)]
    solution = subprocess.run(
        [
            *("uv", "pip", "compile", "--quiet", "--universal", "--python-version=3.11"),
            *("--fork-strategy=fewest", f"--exclude-newer={date}", "--generate-hashes"),
            *("--no-emit-index-url", "--no-header"),
            *options,
            str(env / "requirements.in"),
        ],
        capture_output=True,
        text=True,
    )
    if solution.returncode != 0:
        raise InstallError(f"{env}/requirements.in: no solution by {date}; {solution.stderr.strip()}")
    text = "# make lock\n" + by_hand + _without_markers(solution.stdout)
    if address := re.search(r"^-.*|.*://.*", text, re.MULTILINE):
        raise InstallError(f"{env}/requirements.lock: {address[0]!r}, expected names, versions and hashes")
    (env / "requirements.lock").write_text(text)


def _without_markers(solution: str) -> str:
    """Return uv's *solution* without the markers that hold on every machine the project locks for."""
    lines = []
    for line in solution.splitlines():
        requirement, semicolon, marker = line.removesuffix(" \\").partition(" ; ")
        clauses = [clause for clause in marker.split(" and ") if clause not in _REPEATED]
        kept = requirement + (semicolon + " and ".join(clauses) if marker and clauses else "")
        lines.append(kept + (" \\" if line.endswith(" \\") else ""))
    return "\n".join(lines) + "\n"
