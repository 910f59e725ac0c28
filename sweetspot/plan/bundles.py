"""Turns a bundle of a study into NCCL variants: its variables one by one, then all together. Pure."""

import re
from collections.abc import Mapping
from typing import Any

from sweetspot.errors import StudyError

_LISTS = ("NCCL_ALGO", "NCCL_PROTO")  # whose values say all: `ring`, `ll`


def expand(nccl: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the NCCL variants that *nccl* of a study stands for, each with `env` and `args`, in its order.

    The factors stand before their bundle, being plainer. All of them have the bundle's arguments. A factor
    that two bundles share is there once.

    Args:
        nccl: By name, `env` and `args`, or `bundle` and `args`.
        where: The study's file, for the error.

    Raises:
        StudyError: If a factor would bear the name of a variant that is something else.
    """
    variants: dict[str, Any] = {}
    for name, entry in nccl.items():
        if "bundle" not in entry:
            _add(variants, name, entry, f"{where}: nccl.{name}")
            continue
        for variable, value in entry["bundle"].items():
            factor = {"env": {variable: value}, "args": entry["args"]}
            _add(variants, factor_id(variable, value), factor, f"{where}: nccl.{name}.bundle.{variable}")
        _add(variants, name, {"env": entry["bundle"], "args": entry["args"]}, f"{where}: nccl.{name}")
    return variants


def factor_id(variable: str, value: str) -> str:
    """Return the id of *variable* alone at *value*: `ll`, `allreduce-tree`, `p2p-sys`, `nthreads-64`."""
    value = value.replace("^", "not-")
    stem = variable.removeprefix("NCCL_").removesuffix("_LEVEL")
    words = value if variable in _LISTS else f"{stem}-{value}"
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def _add(variants: dict[str, Any], name: str, variant: Mapping[str, Any], where: str) -> None:
    """Add *variant* to *variants*, unless it is there already."""
    if variants.setdefault(name, variant) != variant:
        raise StudyError(
            f"{where}: measured as {name}, expected that id for one variant alone; rename the other {name}"
        )
