"""The methods of SGLang that make a decode cycle, in the versions that are known, and the way into them."""

import functools
import importlib
import importlib.util
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple


class Method(NamedTuple):
    """A method to time."""

    module: str
    owner: str  # class
    name: str
    phase: str  # or `cycle`
    takes: tuple[str, ...]  # what it has to be given, besides self


_V1 = "sglang.srt.speculative.eagle_worker"  # gone from 0.5.13 on
_V2 = "sglang.srt.speculative.eagle_worker_v2"
METHODS = (
    Method("sglang.srt.managers.tp_worker", "TpModelWorker", "forward_batch_generation", "cycle", ("batch",)),
    Method(_V2, "EAGLEWorkerV2", "forward_batch_generation", "cycle", ("batch",)),
    Method(_V2, "EagleDraftWorker", "draft", "draft", ("batch",)),
    Method(_V2, "EAGLEWorkerV2", "verify", "verify", ("batch",)),
    Method(_V2, "EagleDraftWorker", "_draft_extend_for_decode", "extend", ("batch", "batch_result")),
    Method(_V1, "EAGLEWorker", "forward_batch_generation", "cycle", ("batch",)),
    Method(_V1, "EAGLEWorker", "draft", "draft", ("batch",)),
    Method(_V1, "EAGLEWorker", "verify", "verify", ("batch", "spec_info")),
    Method(_V1, "EAGLEWorker", "forward_draft_extend_after_decode", "extend", ("batch",)),
)
_RENAMED = {"model_worker_batch": "batch"}  # before 0.5.13
# Accepted drafts of each request, without the bonus token, as the v1 worker of 0.5.10 and 0.5.11 counts them.
DRAFTS_PER_REQUEST = ("accept_length_per_req_cpu", "num_accepted_drafts_per_req_cpu")


def here() -> list[Method]:
    """Return the methods that the installed SGLang has to have."""
    with_v1 = importlib.util.find_spec(_V1) is not None
    return [method for method in METHODS if method.module != _V1 or with_v1]


def fault() -> str | None:
    """Return which method of the installed SGLang is not as it was, or None."""
    for method in here():
        where = f"{method.module}.{method.owner}.{method.name}"
        try:
            found = getattr(getattr(importlib.import_module(method.module), method.owner), method.name)
        except (ImportError, AttributeError) as error:
            return f"{where}: missing ({error})"
        if (takes := required(inspect.signature(found))) != method.takes:
            return f"{where}: takes {', '.join(takes) or 'nothing'} instead of {', '.join(method.takes)}"
    return None


def required(signature: inspect.Signature) -> tuple[str, ...]:
    """Return what a method has to be given, besides self, under the names that `METHODS` uses."""
    names = [
        name
        for name, parameter in signature.parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]
    return tuple(_RENAMED.get(name, name) for name in names[1:])


def wrap(around: Callable[[str], Callable[..., Any]]) -> None:
    """Put `around(phase)` around each method: by SGLang's registry, or by hand where it has none.

    What is registered last is outermost.
    """
    registered = importlib.util.find_spec("sglang.srt.plugins") is not None
    for method in here():
        hook = around(method.phase)
        if registered:
            from sglang.srt.plugins.hook_registry import HookRegistry, HookType

            HookRegistry.register(f"{method.module}.{method.owner}.{method.name}", hook, HookType.AROUND)
        else:
            owner = getattr(importlib.import_module(method.module), method.owner)
            setattr(owner, method.name, _wrapped(getattr(owner, method.name), hook))


def _wrapped(original: Callable[..., Any], hook: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return hook(original, *args, **kwargs)

    return wrapper
