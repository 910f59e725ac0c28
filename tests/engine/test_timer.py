"""The timer inside SGLang: on a stand-in for an SGLang without plugins, and against the sources of each lock.

On the real server it is tested in `test_real_sglang.py`.
"""

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest

from sweetspot.engine.plugin import SITE, UNITS

ROOT = Path(__file__).parents[2]

# An SGLang of three workers, as old as 0.5.10: it looks for no plugins. Its GPU counts calls for a clock.
TORCH = """
import time
from types import SimpleNamespace

class Tensor:
    def __init__(self, numbers, is_cuda=True):
        self.numbers, self.is_cuda, self.device, self.shape = numbers, is_cuda, "cuda:0", (len(numbers),)
    def flatten(self): return self
    def numel(self): return len(self.numbers)
    def tolist(self): return self.numbers

class device: ...

work_us = 0  # that the GPU did so far

class Event:
    made = 0
    def __init__(self, enable_timing):
        assert enable_timing
        Event.made += 1
    def record(self, stream):
        assert stream == at_hand
        self.at_us = work_us
    def query(self): return True
    def elapsed_time(self, end): return (end.at_us - self.at_us) / 1000

class Stream:
    def __init__(self, device): ...
    def __enter__(self): ...
    def __exit__(self, *error): ...

def cat(tensors): return Tensor([number for tensor in tensors for number in tensor.numbers])

cuda = SimpleNamespace(Event=Event, Stream=Stream, stream=lambda it: it, set_device=lambda device: None)
at_hand = 0  # stream
cuda.current_stream = lambda device: at_hand
distributed = SimpleNamespace(is_initialized=lambda: True, get_rank=lambda: RANK)
"""
TARGET = """
import torch
from types import SimpleNamespace

class TpModelWorker:
    def forward_batch_generation(self, model_worker_batch, forward_batch=None):
        torch.work_us += 5000
        return SimpleNamespace(accept_lens=None)
"""
V2 = """
import time
import torch
from sglang.srt.managers.tp_worker import TpModelWorker

class EagleDraftWorker:
    def draft(self, model_worker_batch): torch.work_us += 2000
    def _draft_extend_for_decode(self, batch, batch_result): torch.work_us += 1000

class EAGLEWorkerV2:
    speculative_num_steps = 3
    def __init__(self): self.target, self.drafter = TpModelWorker(), EagleDraftWorker()
    def forward_batch_generation(self, model_worker_batch):
        if not model_worker_batch.forward_mode.is_decode():
            return self.target.forward_batch_generation(model_worker_batch)
        self.drafter.draft(model_worker_batch)
        result = self.VERIFY(model_worker_batch)
        self.drafter._draft_extend_for_decode(model_worker_batch, result)
        time.sleep(0.001)
        torch.work_us += 100
        return result
    def VERIFY(self, batch):
        result = self.target.forward_batch_generation(model_worker_batch=None, forward_batch=batch)
        result.accept_lens = torch.Tensor([3, 1])
        return result
"""
V1 = """
import torch
from sglang.srt.managers.tp_worker import TpModelWorker

class EAGLEWorker(TpModelWorker):
    speculative_num_steps = 2
    def forward_batch_generation(self, batch):
        self.draft(batch)
        result = self.verify(batch, None)
        self.forward_draft_extend_after_decode(batch)
        return result
    def draft(self, batch): torch.work_us += 2000
    def verify(self, batch, spec_info):
        result = super().forward_batch_generation(None, forward_batch=batch)
        result.accept_length_per_req_cpu = [2, 0]
        return result
    def forward_draft_extend_after_decode(self, batch): torch.work_us += 1000
"""
# It serves for milliseconds: the thread that writes looks more often, and waits less for a successor.
SCHEDULER = """
import time
from types import SimpleNamespace
import sweetspot_cycles, sweetspot_timer
import torch

sweetspot_cycles.READ_EVERY_S, sweetspot_cycles.ALONE_AFTER_S = 0.01, 0.3

def batch(decode):
    mode = SimpleNamespace(is_decode=lambda: decode)
    return SimpleNamespace(forward_mode=mode, is_extend_in_batch=False, seq_lens=torch.Tensor([9, 9]))

def serve(worker):
    for decode in (False, True, True, False, True):
        torch.at_hand += 1
        worker.forward_batch_generation(batch(decode))
        torch.work_us += 300
    TURNS
    until = time.monotonic() + 20
    writers = [timer._writer for timer in sweetspot_timer._registered if timer._writer]
    while any(writer._written < writer._added for writer in writers) and time.monotonic() < until:
        time.sleep(0.01)
"""
MAIN = """
import multiprocessing, sys

def work():
    from sglang.srt.managers.scheduler import serve
    from sglang.srt.managers.tp_worker import TpModelWorker
    from sglang.srt.speculative.eagle_worker_v2 import EAGLEWorkerV2
    from sglang.srt.speculative.eagle_worker import EAGLEWorker
    serve({"v1": EAGLEWorker, "v2": EAGLEWorkerV2, "target": TpModelWorker}[sys.argv[1]]())

if __name__ == "__main__":
    import sglang.srt.managers.scheduler
    process = multiprocessing.get_context("spawn").Process(target=work)
    process.start()
    process.join()
    sys.exit(process.exitcode)
"""


def served(
    folder: Path, worker: str, *, rank: int = 0, verify: str = "verify", v2: str = V2, turns: str = "pass"
) -> tuple[list[dict[str, Any]], subprocess.CompletedProcess[str]]:
    """Return the cycles that the timer wrote of a stand-in with this worker, and how its process ended."""
    sources = {
        "torch.py": f"RANK = {rank}{TORCH}",
        "main.py": MAIN,
        "sglang/srt/managers/tp_worker.py": TARGET,
        "sglang/srt/managers/scheduler.py": SCHEDULER.replace("TURNS", turns),
        "sglang/srt/speculative/eagle_worker.py": V1,
        "sglang/srt/speculative/eagle_worker_v2.py": v2.replace("VERIFY", verify),
    }
    for name, text in sources.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for package in ("sglang", "sglang/srt", "sglang/srt/managers", "sglang/srt/speculative"):
        (folder / package / "__init__.py").touch()
    environment = {"PYTHONPATH": os.pathsep.join([str(SITE), str(folder)]), "SWEETSPOT_CYCLES": f"{folder}/c"}
    done = subprocess.run(
        [sys.executable, "main.py", worker], cwd=folder, env=environment, capture_output=True, text=True
    )
    lines = [json.loads(line) for file in folder.glob("c.*") for line in file.read_text().splitlines()]
    assert lines[:1] in ([], [{"clock": "cuda_events", "columns": list(UNITS)}])
    return [dict(zip(UNITS, line, strict=True)) for line in lines[1:]], done


class TestTimer:
    """Tests of what is written of a prefill, two cycles, another prefill and a last cycle."""

    def test_v2(self, tmp_path: Path) -> None:
        """Phases and periods by the GPU's clock, tokens by the counts that are on the GPU."""
        cycles, done = served(tmp_path, "v2")

        assert done.stderr == ""
        assert [cycle["period_us"] for cycle in cycles] == [8400, 8100, 8100]
        assert [cycle["followed"] for cycle in cycles] == [1, 0, 0]
        assert {(c["draft_us"], c["verify_us"], c["extend_us"], c["call_us"]) for c in cycles} == {
            (2000, 5000, 1000, 8100)
        }
        assert {(c["num_steps"], c["tokens"], c["batch_size"], c["plain"]) for c in cycles} == {(3, 4, 2, 0)}
        starts = [cycle["start_us"] for cycle in cycles]
        assert starts == sorted(starts)

    def test_v1(self, tmp_path: Path) -> None:
        """Its counts leave the bonus tokens out; here they are in. It decodes in all five calls."""
        cycles, done = served(tmp_path, "v1")

        assert done.stderr == ""
        assert [(c["draft_us"], c["verify_us"], c["extend_us"]) for c in cycles] == [(2000, 5000, 1000)] * 3
        assert {(c["num_steps"], c["tokens"], c["batch_size"], c["plain"]) for c in cycles} == {(2, 4, 2, 0)}

    def test_baseline(self, tmp_path: Path) -> None:
        """A decode step of the target alone is a plain cycle, with a token for each request."""
        cycles, done = served(tmp_path, "target")

        assert done.stderr == ""
        assert [cycle["period_us"] for cycle in cycles] == [5300, 5000, 5000]
        assert {(c["call_us"], c["num_steps"], c["tokens"], c["plain"]) for c in cycles} == {(5000, 0, 2, 1)}
        assert {cycle["verify_us"] for cycle in cycles} == {None}

    @pytest.mark.parametrize(("rank", "cycles", "files"), [(0, 5, 1), (1, 0, 0)])
    def test_it_can_be_turned_off_and_on(self, tmp_path: Path, rank: int, cycles: int, files: int) -> None:
        """What was seen is written by then, and no more until it is on again; other ranks stay silent."""
        turns = """
    import pathlib, sweetspot_timer
    written = lambda: sum(len(file.read_text().splitlines()) for file in pathlib.Path(".").glob("c.*"))
    for on in (False, True):
        assert sweetspot_timer.turn(on)
        print(written())
        for _ in range(2):
            worker.forward_batch_generation(batch(True))
    """
        found, done = served(tmp_path, "v2", rank=rank, turns=turns)

        assert done.stderr == ""
        assert done.stdout == ("4\n4\n" if rank == 0 else "0\n0\n")  # a header and three cycles
        assert (len(found), len(list(tmp_path.glob("c.*")))) == (cycles, files)
        assert [cycle["followed"] for cycle in found] == [1, 0, 0, 1, 0][:cycles]

    def test_events_that_were_read_are_recorded_again(self, tmp_path: Path) -> None:
        """Later cycles make none, and have the times of the first."""
        turns = """
    made = []
    for _ in range(3):
        assert sweetspot_timer.turn(True)
        made.append(torch.cuda.Event.made)
        for _ in range(3):
            worker.forward_batch_generation(batch(True))
    print(*made)
    """
        cycles, done = served(tmp_path, "v2", turns=turns)

        assert done.stderr == ""
        first, *later = map(int, done.stdout.split())
        assert later == [first, first]
        assert len(cycles) == 12
        assert {(c["draft_us"], c["verify_us"], c["extend_us"], c["call_us"]) for c in cycles} == {
            (2000, 5000, 1000, 8100)
        }

    def test_other_ranks_are_silent(self, tmp_path: Path) -> None:
        """The second of two ranks writes nothing."""
        cycles, done = served(tmp_path, "v2", rank=1)

        assert (cycles, list(tmp_path.glob("c.*")), done.returncode) == ([], [], 0)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"verify": "check"}, r"EAGLEWorkerV2.verify: missing \(.*'verify'\), expected a method to time"),
            (
                {"v2": V2.replace("draft(self, model_worker_batch)", "draft(self, requests, tree)")},
                "EagleDraftWorker.draft: takes requests, tree instead of batch, expected a method to time",
            ),
        ],
    )
    def test_refuses_what_it_does_not_know(
        self, tmp_path: Path, change: dict[str, Any], message: str
    ) -> None:
        """The process ends before it serves, and says why in one line."""
        cycles, done = served(tmp_path, "v2", **change)

        assert done.returncode == 1
        assert re.fullmatch(
            rf"sweetspot_timer: sglang.srt.speculative.eagle_worker_v2.{message}; set `profile: none`\n",
            done.stderr,
        )
        assert cycles == []


@pytest.mark.parametrize(("later_ns", "same"), [(49_999, True), (50_000, False)])
def test_a_young_mark_is_taken_again(monkeypatch: pytest.MonkeyPatch, later_ns: int, same: bool) -> None:
    """So a phase that begins as another ends costs the GPU one event; `now` is a new one always."""
    cuda = SimpleNamespace(Stream=lambda device: None, Event=lambda enable_timing: Mock())
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda, device=None, Tensor=None))
    clocks = site_module("sweetspot_clocks")
    monkeypatch.setattr(clocks, "time", SimpleNamespace(monotonic_ns=iter([7, 7 + later_ns, 9, 9]).__next__))
    clock = clocks.CudaClock("cuda:0")

    first = clock.now()
    second = clock.still()

    assert (second is first) == same
    assert clock.now() not in (first, second)


class TestWriter:
    """Tests of what the writing thread reads, and when, of two cycles that ran one after the other."""

    @pytest.fixture
    def cycles(self, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
        """Return the module, whose torch has no tensors."""
        monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(Tensor=type(None)))
        return site_module("sweetspot_cycles")

    @staticmethod
    def writer(
        cycles: ModuleType, path: Path, *, age_s: float, gpu_is_done: bool, **clock: Callable[..., object]
    ) -> Any:  # noqa: ANN401  of a class in *cycles*
        """Return a writer that was given two cycles, the first of that age, the last of this moment."""
        calls = {"passed": lambda mark: gpu_is_done or mark != "last", "to_host": lambda tensors: []}
        calls |= {"start": lambda: "begin", "enter_thread": Mock(), "reuse": Mock(), **clock}
        writer = cycles.Writer(str(path), SimpleNamespace(name="gpu", **calls))
        for seconds, end in ((age_s, "first"), (0, "last")):
            cycle = cycles.Cycle(writer.clock, 1, True)
            cycle.start_us -= seconds * 1e6
            cycle.end = end
            writer.add(cycle)
        return writer

    @pytest.mark.parametrize(
        ("age_s", "gpu_is_done", "finishing", "reads"),
        [
            (0.2, False, False, True),  # the GPU has work left
            (0.2, True, False, False),  # it may wait for the host
            (0.4, True, False, True),  # for too long
            (0.2, True, True, True),
        ],
    )
    def test_may_read(
        self,
        cycles: ModuleType,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        age_s: float,
        gpu_is_done: bool,
        finishing: bool,
        reads: bool,
    ) -> None:
        """While the GPU has work; else once a cycle is due, or all are asked for."""
        monkeypatch.setattr(cycles, "threading", Mock())
        writer = self.writer(cycles, tmp_path / "c", age_s=age_s, gpu_is_done=gpu_is_done)
        writer._finishing = finishing

        assert writer._may_read() == reads

    def test_leaves_cycles_until_it_may_read(
        self, cycles: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The thread looks often, and writes nothing before that."""
        monkeypatch.setattr(cycles, "READ_EVERY_S", 0.01)
        began = time.monotonic()
        writer = self.writer(
            cycles, tmp_path / "c", age_s=0, gpu_is_done=True, between_us=lambda begin, end: 1
        )
        while not writer._written and time.monotonic() < began + 20:
            time.sleep(0.01)

        assert writer._written == 1
        assert time.monotonic() - began > cycles.DUE_AFTER_S

    def test_reuses_events_when_they_are_read(
        self, cycles: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """None is recorded again while a row still needs its time; each is, once, when all are written."""
        monkeypatch.setattr(cycles, "threading", Mock())
        reused: list[str] = []

        def between_us(begin: str, end: str) -> int:
            assert reused == []
            return 1

        writer = self.writer(
            cycles,
            tmp_path / "c",
            age_s=0,
            gpu_is_done=True,
            between_us=between_us,
            reuse=lambda marks: reused.extend(marks),
        )
        writer._cycles[0].phases = {"draft": ("begin", "middle"), "verify": ("middle", "first")}
        writer._finishing = True
        writer._write(writer._ready())

        assert reused == ["begin", "first", "middle", "begin", "last"]


def test_columns_are_those_that_the_runner_reads() -> None:
    """The timer can't import ours, so it has its own list."""
    tree = ast.parse((SITE / "sweetspot_cycles.py").read_text())
    columns = next(n.value for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "COLUMNS")  # type: ignore[attr-defined]

    assert eval(ast.unparse(columns)) == tuple(UNITS)


def site_module(name: str) -> ModuleType:
    """Return a module of the plugin."""
    spec = importlib.util.spec_from_file_location(name, SITE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def locked_versions() -> list[str]:
    """Return the version of SGLang in each lock."""
    texts = [lock.read_text() for lock in (ROOT / "envs").glob("engine-*/requirements.lock")]
    return sorted({match for text in texts for match in re.findall(r"^sglang==(\S+)", text, re.MULTILINE)})


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for wheels."""
    return tmp_path_factory.mktemp("wheels")


def sources_of(version: str, folder: Path) -> zipfile.ZipFile:
    """Return the wheel of an SGLang, from an index that pip knows."""
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    fetch += ["--python-version", "3.11", "--dest", str(folder), f"sglang=={version}"]
    done = subprocess.run(fetch, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"pip finds no sglang {version}: {done.stderr.strip().splitlines()[-1]}")
    return zipfile.ZipFile(next(folder.glob(f"sglang-{version}-*.whl")))


def required(method: ast.FunctionDef) -> tuple[str, ...]:
    """Return what a method has to be given, besides self."""
    given = method.args
    names = [argument.arg for argument in given.args]
    names = names[1 : len(names) - len(given.defaults)]
    return (*names, *(a.arg for a, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is None))


def class_of(tree: ast.Module, name: str) -> ast.ClassDef:
    """Return a class of a module."""
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)


@pytest.mark.engine
@pytest.mark.parametrize("version", locked_versions())
def test_every_locked_sglang_has_what_is_hooked(version: str, wheels: Path) -> None:
    """Each method is there, takes what it took, and results have the counts that are read."""
    known = site_module("sweetspot_methods")  # which needs no torch
    sources = sources_of(version, wheels)
    files = set(sources.namelist())
    checked = set()
    for method in known.METHODS:
        file = method.module.replace(".", "/") + ".py"
        if file not in files and method.owner == "EAGLEWorker":
            continue  # the v1 worker is gone
        body = class_of(ast.parse(sources.read(file)), method.owner).body
        found = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == method.name]
        assert [tuple(known._RENAMED.get(n, n) for n in required(node)) for node in found] == [method.takes]
        checked.add(method.owner)
    result = class_of(ast.parse(sources.read("sglang/srt/managers/utils.py")), "GenerationBatchResult")
    fields = {node.target.id for node in result.body if isinstance(node, ast.AnnAssign)}  # type: ignore[union-attr]
    assert "accept_lens" in fields
    assert ("EAGLEWorker" not in checked) or fields & set(known.DRAFTS_PER_REQUEST)
    assert {"TpModelWorker", "EAGLEWorkerV2", "EagleDraftWorker"} <= checked
