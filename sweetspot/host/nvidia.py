"""Asks nvidia-smi. Standard library only."""

import re
import subprocess


def nvidia_smi(*options: str) -> str | None:
    """Return what nvidia-smi prints, without its colours; None where there is no driver."""
    try:
        answer = subprocess.run(["nvidia-smi", *options], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return re.sub(r"\x1b\[[0-9;]*m", "", answer.stdout)


def query(what: str) -> list[list[str]]:
    """Return the rows of one of nvidia-smi's queries; none where there is no driver.

    Args:
        what: Such as `--query-gpu=index,uuid`, whose last column may hold commas.
    """
    columns = what.count(",") + 1
    answer = nvidia_smi(what, "--format=csv,noheader,nounits") or ""
    rows = [line.split(",", columns - 1) for line in answer.splitlines()]
    return [[cell.strip() for cell in row] for row in rows if len(row) == columns]
