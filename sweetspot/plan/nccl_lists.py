"""Reads NCCL_ALGO and NCCL_PROTO as NCCL does: which algorithms and protocols each collective may use. Pure.

The two variables share a grammar: lists of elements, `^` before one that excludes, and a collective's name
and a colon before one that is for it alone; `;` between lists.
"""

from collections.abc import Mapping, Sequence

from sweetspot.errors import StudyError

COLLECTIVES = ("Broadcast", "Reduce", "AllGather", "ReduceScatter", "AllReduce")
ALGORITHMS = ("Tree", "Ring", "CollNetDirect", "CollNetChain", "NVLS", "NVLSTree", "PAT")
PROTOCOLS = ("LL", "LL128", "Simple")
ELEMENTS = {"NCCL_ALGO": ALGORITHMS, "NCCL_PROTO": PROTOCOLS}

Choices = dict[str, frozenset[str]]  # collective: what it may use


def read_list(name: str, value: str) -> Choices:
    """Return what *value* of the variable *name* allows each collective.

    Args:
        name: `NCCL_ALGO` or `NCCL_PROTO`.
        value: As it stands in the environment.

    Raises:
        StudyError: For what NCCL ends the process for: an unknown element or collective, or an entry after
            the first that names no collective.
    """
    elements = ELEMENTS[name]
    allowed = {collective: frozenset(elements) for collective in COLLECTIVES}
    for number, entry in enumerate(part for part in value.split(";") if part):
        before, _, after = entry.partition(":")
        prefix, listed = (before, after) if after else (None, before)
        if prefix is None and number:
            raise StudyError(
                f"{name}={value}: {entry!r} after a semicolon, expected COLLECTIVE:LIST there; "
                "name its collective"
            )
        chosen = _elements(name, value, listed)
        for collective in COLLECTIVES if prefix is None else [_known(name, value, prefix, COLLECTIVES)]:
            allowed[collective] = chosen
    return allowed


def allowed(environment: Mapping[str, str], collective: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the algorithms and the protocols that *environment* leaves to a collective.

    Args:
        environment: Holds NCCL_ALGO and NCCL_PROTO, or neither.
        collective: One of `COLLECTIVES`.
    """
    algorithms, protocols = (
        read_list(name, environment[name])[collective] if environment.get(name) else frozenset(elements)
        for name, elements in ELEMENTS.items()
    )
    return algorithms, protocols


def _elements(name: str, value: str, listed: str) -> frozenset[str]:
    known = ELEMENTS[name]
    named = {_known(name, value, word, known) for word in listed.removeprefix("^").split(",") if word}
    return frozenset(known) - named if listed.startswith("^") else frozenset(named)


def _known(name: str, value: str, word: str, known: Sequence[str]) -> str:
    for candidate in known:
        if candidate.lower() == word.lower():
            return candidate
    raise StudyError(
        f"{name}={value}: {word!r}, expected {', '.join(known)}, or NCCL ends the server; correct it"
    )
