"""Times what comes after the measurement, on 200 variants x 10 rounds x 100 requests x 512 tokens.

    python -m tests.big_study FOLDER

makes the records in FOLDER if there are none, with the stand-in engine's acceptance and cycle times, then
calls each verb from `measure` to `report` on these files, as the workflow does, and prints what they took.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sweetspot.engine.fake_state import DECODE_S, DRAFT_ACCEPTED, DRAFT_STEP_S, PREFILL_S
from sweetspot.run.cycles import write_cycles
from sweetspot.run.record import digest, pack, write
from tests.conftest import pass_of, plan_of, record_of

NCCL_VARIANTS, STEPS, ROUNDS, REQUESTS, TOKENS = 20, 9, 10, 100, 512
MODELS = {"constructed": None, "target": {"folder": "target"}, "draft": {"folder": "draft"}}
SWEETSPOT = Path(sys.executable).with_name("sweetspot")


class Cost(NamedTuple):
    """What a verb took."""

    verb: str
    wall_s: float
    cpu_s: float
    peak_bytes: int  # of its largest process


def make(folder: Path, nccl: int, steps: int, rounds: int, requests: int, tokens: int) -> None:
    """Write plan.json and a record for each launch and round into *folder*."""
    rng = np.random.default_rng(0)
    plan = plan_of(*range(1, steps + 1), nccl=[f"v{i}" for i in range(nccl)], rounds=rounds)
    for launch in plan["launches"]:
        launch["args"] = {"speculative-algorithm": "EAGLE3"}
    outputs = {f"p{i}": rng.integers(30_000, size=tokens).tolist() for i in range(requests)}
    packed = {prompt: pack(ids) for prompt, ids in outputs.items()}
    digests = {prompt: digest(text) for prompt, text in packed.items()}
    folder.mkdir(parents=True, exist_ok=True)
    for variant in plan["variants"]:
        for round_ in range(rounds):
            start = 1 + 0.02 * rng.standard_normal()
            sent_us, rows = 0, []
            for prompt in outputs:
                row, sent_us = _request(rng, variant["num_steps"], tokens, start, sent_us)
                rows.append(row | {"prompt": prompt, "output": digests[prompt]})
            pass_ = pass_of() | {"requests": rows}
            pass_["outputs"] = dict(zip(digests.values(), packed.values(), strict=True))
            record = record_of(plan, variant["id"], [pass_], round_=round_)
            cycles = record.pop("cycles")
            record |= {"engine": {"name": "fake", "packages": {}}, "models": MODELS}
            path = folder / "run" / variant["id"] / str(round_) / "record.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            write(record, path)
            write_cycles(cycles, path.with_name("cycles.jsonl.gz"))
            write({"attempt": 0, "status": "complete", "failure": None}, path.with_name("outcome.json"))
    write(plan, folder / "plan.json")


def _request(
    rng: np.random.Generator, num_steps: int, tokens: int, start: float, sent_us: int
) -> tuple[dict[str, Any], int]:
    """Return a request as the stand-in engine would answer it, and when the next one is sent."""
    accepted = np.minimum(rng.geometric(1 - DRAFT_ACCEPTED, tokens) - 1, num_steps)
    reached = np.minimum(1 + (accepted + 1).cumsum(), tokens)
    cycles = int(np.argmax(reached == tokens)) + 1
    cycle_us = 1e6 * start * (DECODE_S + DRAFT_STEP_S * num_steps)
    gaps = np.append(1e6 * PREFILL_S, cycle_us * (1 + 0.05 * rng.standard_normal(cycles)))
    arrivals = sent_us + gaps.astype(int).cumsum()
    histogram = np.bincount(accepted[:cycles], minlength=num_steps + 1)
    correct = int(histogram @ np.arange(num_steps + 1))
    meta = {
        "spec_verify_ct": cycles,
        "spec_correct_drafts_histogram": histogram.tolist(),
        "spec_num_correct_drafts": correct,
        "spec_num_proposed_drafts": num_steps * cycles,
    }
    row = {
        "sent_us": sent_us,
        "chunk_us": pack(arrivals.tolist()),
        "chunk_tokens": pack([1, *reached[:cycles].tolist()]),
        "prompt_tokens": 64,
        "completion_tokens": tokens,
        "cached_tokens": 0,
        "finish": "length",
        "meta": meta if num_steps else {},
    }
    return row, int(arrivals[-1]) + 100


def render(folder: Path) -> list[Cost]:
    """Call each verb from `measure` to `report` on the records in *folder*, and return what each took."""
    names = ("run", "measure", "figures", "report.html")
    files = {name: folder / name for name in names} | {"study": folder}
    files |= {name: folder / f"{name}.json" for name in ("plan", "nccl", "verdict")}
    files |= {name: folder / f"{name}.parquet" for name in ("summary", "apart")}
    files |= {"command": folder / "launch.sh"}
    files |= {"markdown": folder / "table.md", "csv": folder / "table.csv"}
    verbs = {
        "measure": ("run plan", "measure"),
        "summarise": ("measure plan apart", "summary"),
        "nccl": ("study summary plan", "nccl"),
        "verdict": ("summary plan nccl", "verdict"),
        "command": ("run plan verdict", "command"),
        "table": ("run plan summary nccl verdict apart markdown csv", None),
        "figures": ("run plan summary nccl verdict", "figures"),
        "report": ("run plan summary nccl verdict apart command figures", "report.html"),
    }
    costs = []
    for verb, (options, out) in verbs.items():
        words = [word for name in options.split() for word in (f"--{name}", str(files[name]))]
        words += ["--out", str(files[out])] if out else []
        costs.append(_cost(verb, [str(SWEETSPOT), verb, *words]))
    return costs


def _cost(verb: str, command: Sequence[str]) -> Cost:
    """Run *command* and return what it took."""
    began_s = time.perf_counter()
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{verb}: exit status {process.returncode}")
    wall_s = time.perf_counter() - began_s
    return Cost(verb, wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)


def main(folder: Path) -> None:
    """Make the study if it is not there, and print the table of costs."""
    if not (folder / "plan.json").exists():
        make(folder, NCCL_VARIANTS, STEPS, ROUNDS, REQUESTS, TOKENS)
    costs = render(folder)
    total = Cost(
        "all", sum(c.wall_s for c in costs), sum(c.cpu_s for c in costs), max(c.peak_bytes for c in costs)
    )
    for cost in [*costs, total]:
        print(
            f"{cost.verb:10} {cost.wall_s:6.1f} s {cost.cpu_s:6.1f} CPU s {cost.peak_bytes / 2**20:7.0f} MiB"
        )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
