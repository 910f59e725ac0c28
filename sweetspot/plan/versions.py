"""Versions of SGLang and of NCCL as numbers that compare. Pure."""

import re

from sweetspot.errors import StudyError

Version = tuple[int, int, int]

OLDEST_SGLANG: Version = (0, 5, 9)  # of those whose rules were read


def sglang_version(text: str) -> Version:
    """Return the first three numbers of SGLang's version.

    Raises:
        StudyError: If it is no version, or one older than those that were read.
    """
    return first_three("SGLang", text, OLDEST_SGLANG)


def first_three(what: str, text: str, oldest: Version) -> Version:
    """Return the first three numbers of *text*: post-releases and local versions obey the same rules.

    Args:
        what: Whose version it is, for the error.
        text: As a package has it.
        oldest: The oldest of which the rules are known.

    Raises:
        StudyError: If it is no version, or an older one.
    """
    match = re.match(r"(\d+)\.(\d+)\.(\d+)", text)
    found = (int(match[1]), int(match[2]), int(match[3])) if match else (0, 0, 0)
    if found < oldest:
        raise StudyError(f"{what}: version {text!r}, expected {dotted(oldest)} or newer; install a newer one")
    return found


def dotted(version: Version) -> str:
    """Return *version* as one writes it: `0.5.9`."""
    return ".".join(map(str, version))
