"""Turns a folder's `requirements.in` into its `requirements.lock`: names, versions, hashes, no address.

uv solves it as of the environment's date, and so finds the same at any later time: who wants newer packages
moves the date. Three more files in the folder change the solution, where they exist:

    overrides.in   a version for a package, whatever other packages want of it
    excludes.in    packages to go without
    by-hand.lock   part of the lock, as it stands: files that uv can't find
"""

import re
import subprocess

from sweetspot.errors import InstallError
from sweetspot.host.env import ROOT

# An engine gets what its SGLang was tried with when it came out: it is dated within days of that release.
DATES = {  # the last day that counts
    "workflow": "2026-11-28",
    "workflow-dev": "2026-11-28",
    "engine-cpu": "2026-11-28",
    "engine-cu12": "2026-04-15",
    "engine-cu13": "2026-07-29",
}
PIN = re.compile(r"^([^\s#=]+)==(\S+)", re.MULTILINE)

# What pyproject.toml's [tool.uv] says of our machines, uv writes behind every requirement. On another machine
# pip would skip them all and report success.
_REPEATED = ["python_full_version < '3.14'", "platform_machine == 'x86_64'", "sys_platform == 'linux'"]


def lock(name: str) -> None:
    """Write the lock of the environment *name*.

    Raises:
        InstallError: If there is no such environment, its requirements have no solution, or the lock would
            name an address.
    """
    if name not in DATES:
        raise InstallError(
            f"envs/{name}: no environment, expected one of {', '.join(DATES)}; correct the name"
        )
    env, date = ROOT / "envs" / name, DATES[name]
    by_hand_file = env / "by-hand.lock"
    by_hand = by_hand_file.read_text() if by_hand_file.exists() else ""
    options = [
        option
        for kind in ("overrides", "excludes")
        if (env / f"{kind}.in").exists()
        for option in (f"--{kind}", str(env / f"{kind}.in"))
    ]
    options += [option for pin, _ in PIN.findall(by_hand) for option in ("--no-emit-package", pin)]
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
        said = " ".join(solution.stderr.split())
        raise InstallError(
            f"envs/{name}/requirements.in: {said}, expected a solution as of {date}; move the date"
        )
    text = "# make lock\n" + by_hand + _without_markers(solution.stdout)
    if address := re.search(r"^-.*|.*://.*", text, re.MULTILINE):
        raise InstallError(
            f"envs/{name}/requirements.lock: {address[0]!r}, expected names, versions and hashes; take the "
            f"address out of requirements.in"
        )
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
