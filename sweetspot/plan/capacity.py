"""How many requests a server may hold at once, and up to how many it has graphs for. Pure."""

from collections.abc import Mapping
from typing import Any

from sweetspot.errors import StudyError
from sweetspot.plan.document import Args
from sweetspot.plan.flags import words
from sweetspot.plan.grid import Study

CAPACITY = "max-running-requests"
# the largest batch that is captured, and the batches that are, by their names up to and from 0.5.16
_GRAPHS = ("cuda-graph-max-bs", "cuda-graph-max-bs-decode", "cuda-graph-bs", "cuda-graph-bs-decode")


def check_capacity(study: Study, engine: Mapping[str, Any], where: str) -> None:
    """Raise unless one capacity holds for all variants and for the largest load, with graphs for it.

    Left out, SGLang sets it to 48 for speculation and not for the baseline. Graphs are SGLang's choice if
    nothing says for how many requests they are captured.

    Args:
        study: A checked study.
        engine: Its entry for the engine that serves.
        where: Of the engine's arguments, for the error.

    Raises:
        StudyError: If it is missing, no number, too small or set in two places, or no graph holds the load.
    """
    args_of, where = {where: engine["args"]}, f"{where}.{CAPACITY}"
    places = {f"nccl.{name}.args": variant["args"] for name, variant in study["nccl"].items()}
    places |= {f"args_sets.{name}": args for name, args in study["args_sets"].items()}
    elsewhere = next((place for place, args in places.items() if CAPACITY in args), None)
    if elsewhere:
        raise StudyError(
            f"{where}: set in {elsewhere} too, expected one for all variants; remove it from {elsewhere}"
        )
    load = study["loads"][-1]
    if CAPACITY not in engine["args"]:
        raise StudyError(
            f"{where}: missing, expected {load} or more, since SGLang sets 48 for speculation only; add it"
        )
    found = engine["args"][CAPACITY]
    if not str(found).isdecimal() or int(str(found)) < load:
        raise StudyError(
            f"{where}: {found!r}, expected {load} or more, the largest load; raise it or drop the load"
        )
    for place, args in (args_of | places).items():
        _check_graphs(place, args, load)


def _check_graphs(where: str, args: Args, load: int) -> None:
    """Raise if no graph is captured for *load*: its cycles would run without one, and far slower."""
    for flag in _GRAPHS:
        value = args.get(flag, load)
        too_small = all(size.isdecimal() and int(size) < load for size in words(value))
        if too_small and "disable-cuda-graph" not in args:
            raise StudyError(
                f"{where}.{flag}: {value}, expected {load} or more, the largest load, which would run "
                "without a graph; raise it or drop the load"
            )
