"""How many requests a server may hold at once: one number for all variants of a study. Pure."""

from collections.abc import Mapping
from typing import Any

from sweetspot.errors import StudyError
from sweetspot.plan.grid import Study

CAPACITY = "max-running-requests"


def check_capacity(study: Study, engine: Mapping[str, Any], where: str) -> None:
    """Raise unless one capacity holds for all variants and for the largest load.

    Left out, SGLang sets it to 48 for speculation and not for the baseline.

    Args:
        study: A checked study.
        engine: Its entry for the engine that serves.
        where: Of the engine's arguments, for the error.

    Raises:
        StudyError: If it is missing, no number, too small, or set in two places.
    """
    where = f"{where}.{CAPACITY}"
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
