"""Times all-reduces of given sizes, a process a GPU, as a server's CUDA graphs hold them. Run as a program.

It runs on the engine's Python, under the environment of one NCCL variant, and imports torch alone. Before
each size it says which, so that one that hangs is known, and after each it writes what it has. Without a GPU
it sums over gloo on the CPU, without graphs: for tests of this code, not for any number.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.multiprocessing.spawn import spawn

_WHOLE = 256  # up to which every whole number is one in bfloat16


def main() -> int:
    """Time what the command line asks for, and write it as JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--device", choices=["cuda", "cpu"], required=True)
    parser.add_argument("--dtype", required=True)
    parser.add_argument("--bytes", type=int, nargs="+", required=True)
    parser.add_argument("--in-a-replay", type=int, required=True, help="all-reduces")
    parser.add_argument("--replays", type=int, required=True)
    parser.add_argument("--warm-up", type=int, required=True, help="replays that are not timed")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        spawn(_rank, (options, str(Path(folder, "meeting"))), nprocs=options.ranks)
    return 0


def _rank(rank: int, options: argparse.Namespace, meeting: str) -> None:
    """Take part as one rank; the first writes what it saw."""
    if options.device == "cuda":
        torch.cuda.set_device(rank)
    backend = "nccl" if options.device == "cuda" else "gloo"
    device = torch.device(options.device, rank if options.device == "cuda" else None)
    dist.init_process_group(
        backend,
        store=dist.FileStore(meeting, options.ranks),
        rank=rank,
        world_size=options.ranks,
        device_id=device if options.device == "cuda" else None,
    )
    said: dict[str, Any] = {
        "backend": backend,
        "torch": torch.__version__,
        "nccl": ".".join(map(str, torch.cuda.nccl.version())) if backend == "nccl" else None,
        "ranks": options.ranks,
        "dtype": options.dtype,
        "all_reduces_a_replay": options.in_a_replay,
        "sizes": [],
    }
    for size in options.bytes:
        if rank == 0:
            print(f"all-reduces of {size} bytes", flush=True)
        said["sizes"].append(_measure(size, device, rank, options))
        if rank == 0:
            _replace(options.out, json.dumps(said))
    dist.barrier()
    dist.destroy_process_group()


def _measure(size: int, device: torch.device, rank: int, options: argparse.Namespace) -> dict[str, Any]:
    """Return how long each replay of *size* bytes took, and whether the ranks' values were summed.

    Its graphs are gone when it returns: NCCL ends no communicator of which one is left.
    """
    dtype = getattr(torch, options.dtype)
    message = torch.zeros(size // dtype.itemsize, dtype=dtype, device=device)
    weights = options.ranks * (options.ranks + 1) // 2  # of the ranks, 1 for the first
    ramp = torch.arange(message.numel(), device=device) % max(2, _WHOLE // weights)
    once, many = (_recorded(message, count) for count in (1, options.in_a_replay))
    message.copy_(ramp * (rank + 1))
    once()
    right = bool((message == (ramp * weights).to(dtype)).all())
    message.zero_()  # a sum of noughts stays one, however often
    for _ in range(options.warm_up):
        many()
    return {"bytes": size, "sum_is_right": right, "replay_s": _times(many, device, options.replays)}


def _replace(path: Path, text: str) -> None:
    """Write *text* to *path*, at any moment the old or the new whole."""
    half = path.with_suffix(".half")
    half.write_text(text)
    half.replace(path)


def _recorded(message: torch.Tensor, count: int) -> Callable[[], None]:
    """Return what does *count* all-reduces of *message*: the replay of a CUDA graph where there is a GPU."""

    def eager() -> None:
        for _ in range(count):
            dist.all_reduce(message)

    if message.device.type == "cpu":
        return eager
    eager()  # connects, which a graph can't record
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, capture_error_mode="thread_local"):  # torch's own thread looks after NCCL
        eager()
    replay: Callable[[], None] = graph.replay
    return replay


def _times(replay: Callable[[], None], device: torch.device, replays: int) -> list[float]:
    """Return the seconds of each replay, on the GPU's clock where there is one."""
    if device.type == "cpu":
        times = []
        for _ in range(replays):
            began = time.perf_counter()
            replay()
            times.append(time.perf_counter() - began)
        return times
    marks = [torch.cuda.Event(enable_timing=True) for _ in range(replays + 1)]
    marks[0].record()
    for mark in marks[1:]:
        replay()
        mark.record()
    torch.cuda.synchronize()
    return [1e-3 * before.elapsed_time(after) for before, after in pairwise(marks)]


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
