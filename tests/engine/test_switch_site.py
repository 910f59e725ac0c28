"""Tests of `sweetspot_switch` without SGLang: when it hooks, what it says of an SGLang that has changed."""

import os
import subprocess
import sys

import pytest

from sweetspot.engine.plugin import SITE

NAMES = """
import sys, types
import sweetspot_switch as switch

def module(name):
    if name not in sys.modules:
        sys.modules[name] = types.ModuleType(name)
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(module(parent), last, sys.modules[name])
        sys.modules[name].__path__ = []
    return sys.modules[name]

class Registry:
    hooked = []
    register = classmethod(lambda cls, name, hook, kind: cls.hooked.append(name))

registry = module("sglang.srt.plugins.hook_registry")
registry.HookRegistry, registry.HookType = Registry, types.SimpleNamespace(AROUND=1, AFTER=2)
for name in [*switch.sweetspot_plain.NEEDED, *switch._NEEDED, *HOOKED]:
    parts = name.split(".")
    lower = next(i for i, part in enumerate(parts) if not part.islower() or i == len(parts) - 1)
    place = module(".".join(parts[:lower]))
    for part in parts[lower:]:
        if not hasattr(place, part):
            setattr(place, part, type(part, (), {}))
        place = getattr(place, part)
"""
HOOKED = [
    "sglang.srt.speculative.adaptive_runtime_state.AdaptiveController.activate_step_by_batch",
    "sglang.srt.speculative.adaptive_runtime_state.AdaptiveController.on_verify_complete",
    "sglang.srt.speculative.eagle_worker_v2.EAGLEWorkerV2.init_cuda_graphs",
    "sglang.srt.speculative.eagle_worker_v2.EAGLEWorkerV2.forward_batch_generation",
    "sglang.srt.managers.scheduler.Scheduler.set_internal_state",
    "sglang.srt.managers.scheduler.Scheduler.get_internal_state",
]


def register(process: str, *, asked: bool = True, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run `register` in a process of this name, whose SGLang has all names, after *before*."""
    program = f"HOOKED = {HOOKED}\n{NAMES}\n{before}\n" + (
        f"import multiprocessing; multiprocessing.current_process().name = {process!r}\n"
        "switch.register(); print(len(Registry.hooked))"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SWEETSPOT")}
    environment |= {"PYTHONPATH": str(SITE)} | ({"SWEETSPOT_SWITCH": "1"} if asked else {})
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)


def test_a_scheduler_is_hooked() -> None:
    """With its variable, in a process of its own, all methods are."""
    assert register("Process-1").stdout == "6\n"


@pytest.mark.parametrize(
    ("process", "asked", "before"),
    [
        ("Process-1", False, ""),
        ("MainProcess", True, ""),
        ("Process-2", True, "del sys.modules['sglang.srt.managers.scheduler']"),
    ],
    ids=["not asked for", "main process", "no scheduler"],
)
def test_nothing_else_is(process: str, asked: bool, before: str) -> None:
    """Neither a server that is not to be switched nor a process that serves no requests."""
    assert register(process, asked=asked, before=before).stdout == "0\n"


@pytest.mark.parametrize("name", [*HOOKED, "sglang.srt.managers.utils.GenerationBatchResult"])
def test_what_is_missing_ends_the_server_in_one_line(name: str) -> None:
    """Before any request, and by its full name."""
    place, _, attribute = name.rpartition(".")

    done = register(
        "Process-1", before=f"import pkgutil; delattr(pkgutil.resolve_name({place!r}), {attribute!r})"
    )

    assert done.returncode == 1
    assert done.stderr.startswith(f"sweetspot_switch: no {name} (")
    assert done.stderr.endswith("expected SGLang 0.5.16 to 0.5.23; set `launches: dedicated` in the study\n")
    assert len(done.stderr.splitlines()) == 1
