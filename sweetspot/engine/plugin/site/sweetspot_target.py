"""The target of a server that speculates, as a server without speculation has it."""

import contextlib
import functools
from collections.abc import Iterator
from typing import Any

_COLLECTING = {"capture_aux_hidden_states": False, "layers_to_capture": []}  # of a model that feeds no draft


@contextlib.contextmanager
def without_speculation(target: Any) -> Iterator[None]:
    """Let the *target* choose as in a server without speculation, and have a workspace of its own."""
    from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

    saved = {name: getattr(target, name) for name in ("spec_algorithm", "init_new_workspace")}
    target.spec_algorithm = SpeculativeAlgorithm.from_string(None)
    try:
        yield
    finally:
        for name, value in saved.items():
            setattr(target, name, value)


@contextlib.contextmanager
def without_draft(model: Any) -> Iterator[None]:
    """Keep *model* from collecting hidden states for a draft; without a graph it asks at each forward."""
    saved = [(attributes, name, attributes[name]) for attributes, name in _collectors(model)]
    for attributes, name, _ in saved:
        attributes[name] = _COLLECTING[name]
    try:
        yield
    finally:
        for attributes, name, value in saved:
            attributes[name] = value


@functools.cache
def _collectors(model: Any) -> list[tuple[dict[str, Any], str]]:
    """Return where the modules of *model* keep whether they collect, and which layers."""
    return [
        (vars(module), name) for module in model.modules() for name in _COLLECTING if name in vars(module)
    ]
