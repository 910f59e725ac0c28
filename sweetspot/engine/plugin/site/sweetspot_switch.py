"""Turns a server with adaptive speculation into one that runs the step count it was told, 0 for the baseline.

    POST /set_internal_state {"server_args": {"speculative_num_steps": 3}}  ->  [true]

A plugin of SGLang from 0.5.16 on, in the scheduler of each rank, off without `SWEETSPOT_SWITCH`. SGLang
prepares every candidate of its adaptive mode at the start; what picks one is this order instead of its
statistics. The order reaches all ranks between the same two iterations, as requests do, and is refused
(`[false]`) while one is in flight. 0 steps, if they are among the candidates, are SGLang's ordinary decode
step, as a server without speculation runs it, and not the one-token verify that they are in its own adaptive
mode. `"sweetspot_timer": 0` in an order turns the timer of cycles off, and 1 on again, once all that it saw
is written. `/server_info` tells, as `sweetspot_switch`, how many cycles ran since the switch at which step
count, each by its own result; `PLAIN` counts ordinary decode steps.
"""

import logging
import multiprocessing
import os
import pkgutil
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import sweetspot_plain

PLAIN = "plain"

_ORDER = "speculative_num_steps"
_TIMER = "sweetspot_timer"  # may stand beside it
_CONTROLLER = "sglang.srt.speculative.adaptive_runtime_state.AdaptiveController"
_WORKER = "sglang.srt.speculative.eagle_worker_v2.EAGLEWorkerV2"
_SCHEDULER = "sglang.srt.managers.scheduler.Scheduler"
_NEEDED = (  # besides what is hooked
    *sweetspot_plain.NEEDED,
    f"{_CONTROLLER}._activate",
    f"{_SCHEDULER}.is_fully_idle",
    f"{_SCHEDULER}.flush_cache",
    "sglang.srt.managers.io_struct.SetInternalStateReqOutput",
)

_logger = logging.getLogger(__name__)
_cycles: Counter[str] = Counter()  # since the last switch, by step count


def register() -> None:
    """Hook a scheduler's process if its server is to be switched.

    Raises:
        SystemExit: If SGLang has none of a name that is needed; it stops at nothing less.
    """
    in_scheduler = "sglang.srt.managers.scheduler" in sys.modules
    if "SWEETSPOT_SWITCH" not in os.environ or not in_scheduler:
        return
    if multiprocessing.current_process().name == "MainProcess":
        return
    from sglang.srt.plugins.hook_registry import HookRegistry, HookType

    hooks: dict[str, tuple[Callable[..., Any], HookType]] = {
        f"{_CONTROLLER}.activate_step_by_batch": (_leave, HookType.AROUND),
        f"{_CONTROLLER}.on_verify_complete": (_leave, HookType.AROUND),
        f"{_WORKER}.init_cuda_graphs": (sweetspot_plain.prepare, HookType.AFTER),
        f"{_WORKER}.forward_batch_generation": (_run_cycle, HookType.AROUND),
        f"{_SCHEDULER}.set_internal_state": (_obey, HookType.AROUND),
        f"{_SCHEDULER}.get_internal_state": (_tell, HookType.AFTER),
    }
    for name in (*hooks, *_NEEDED):
        try:
            pkgutil.resolve_name(name)
        except (ImportError, AttributeError, ValueError) as error:
            sys.exit(
                f"sweetspot_switch: no {name} ({error}), expected SGLang 0.5.16 to 0.5.23; "
                "set `launches: dedicated` in the study"
            )
    for name, (hook, kind) in hooks.items():
        HookRegistry.register(name, hook, kind)


def _leave(original: Callable[..., None], controller: Any, *args: Any, **kwargs: Any) -> None:
    """Leave the step count as it was ordered, whatever the acceptance or the size of the batch."""


def _obey(original: Callable[..., Any], scheduler: Any, request: Any) -> Any:
    """Switch to the step count of *request*, and flush what it leaves stale; refuse while there is work."""
    if not {_ORDER} <= set(request.server_args) <= {_ORDER, _TIMER}:
        return original(scheduler, request)
    from sglang.srt.managers.io_struct import SetInternalStateReqOutput

    num_steps = int(request.server_args[_ORDER])
    controller = getattr(scheduler.draft_worker, "adaptive_controller", None)
    done = controller is not None and num_steps in controller._states and scheduler.is_fully_idle()
    if done and _TIMER in request.server_args:
        import sweetspot_timer

        done = sweetspot_timer.turn(bool(request.server_args[_TIMER]))
    if done:
        controller._activate(num_steps)
        # The draft's KV is not written by an ordinary decode step, and free slots are out of order.
        scheduler.flush_cache(empty_cache=False)
        _cycles.clear()
    _logger.info("switch to %d steps: %s", num_steps, "done" if done else "refused")
    return SetInternalStateReqOutput(updated=done)


def _tell(result: Any, scheduler: Any, *args: Any) -> None:
    """Add the cycles since the switch to what the server says of its state."""
    result.internal_state["sweetspot_switch"] = {"cycles": dict(_cycles)}


def _run_cycle(original: Callable[..., Any], worker: Any, batch: Any, *args: Any, **kwargs: Any) -> Any:
    """Run one iteration, a decode batch at 0 steps by the ordinary decode step, and count its cycle."""
    mode = batch.forward_mode
    if mode.is_extend() or batch.is_extend_in_batch or mode.is_idle() or batch.spec_info is None:
        return original(worker, batch, *args, **kwargs)
    if worker.speculative_num_steps == 0:
        result = sweetspot_plain.decode(worker, batch, *args, **kwargs)
        _cycles[PLAIN] += 1
    else:
        result = original(worker, batch, *args, **kwargs)
        _cycles[str(result.speculative_num_draft_tokens - 1)] += 1
    return result
