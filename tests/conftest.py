"""Makes plans and records up, as a server with given speeds would have left them."""

from collections.abc import Callable, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from sweetspot.run.cycles import Cycles
from sweetspot.run.record import FORMAT, digest, pack
from tests.workflow.project import Project

# No deadline: other work on the machine must not fail a test.
settings.register_profile("unit", max_examples=50, deadline=None)
settings.load_profile("unit")

Row = dict[str, Any]
MakePlan = Callable[..., Row]
MakePass = Callable[..., Row]
MakeRecord = Callable[..., Row]


def plan_of(
    *num_steps: int,
    nccl: Sequence[str] = ("default",),
    control: bool = False,
    untimed: int | None = None,
    rounds: int = 1,
    **workload: Any,  # noqa: ANN401
) -> Row:
    """Return a plan with a baseline and a chain of each of *num_steps* for each NCCL variant.

    The chain of *untimed* steps has a control without the timer.
    """
    variants = []
    for name in nccl:
        baseline = f"none.{name}"
        ids = [(baseline, 0, False)] + [(f"none-again.{name}", 0, True)] * control
        ids += [(f"s{steps}.{name}", steps, False) for steps in num_steps]
        variants += [
            {
                "id": id_,
                "num_steps": steps,
                "eagle_topk": min(steps, 1),
                "num_draft_tokens": steps + 1 if steps else 0,
                "nccl": name,
                "args_set": None,
                "baseline": baseline,
                "control": is_control,
            }
            for id_, steps, is_control in ids
        ]
        without = {"id": f"s{untimed}-untimed.{name}", "control": True, "untimed": True}
        twins = [variant for variant in variants if variant["id"] == f"s{untimed}.{name}"]
        variants += [twin | without | {"baseline": twin["id"]} for twin in twins]
    return {
        "study": "made-up",
        "engine": "fake",
        "sglang": "0.5.23",
        "seed": 0,
        "rounds": rounds,
        "prompts_sha256": "abc",
        "verdict_load": 1,
        "variants": variants,
        "launches": [
            {
                "id": variant["id"],
                "kind": "dedicated",
                "reason": "alone",
                "variants": [variant["id"]],
                "args": {},
                "env": {},
                "digest": variant["id"],
            }
            for variant in variants
        ],
        "dropped": [],
        "workload": {
            "loads": [1],
            "repeats": 1,
            "warmup_passes": 0,
            "generation": {"max_new_tokens": 9, "ignore_eos": True, "temperature": 0},
            "profile": "none",
            "near_tie_nats": 0.0,
            "limits": {"start_s": 1, "stall_s": 1},
        }
        | workload,
        "estimate": {"launches": len(variants) * rounds, "seconds": 1, "gpu_hours": 0},
    }


def pass_of(
    accepted: Sequence[int] | None = None,
    *,
    cycle_us: int = 10_000,
    ttft_us: int = 50_000,
    load: int = 1,
    repeat: int = 0,
    outputs: dict[str, list[int]] | None = None,
    **changes: Any,  # noqa: ANN401
) -> Row:
    """Return a pass of a server that accepts *accepted* drafts in turn, or runs without speculation if None.

    Args:
        accepted: Drafts accepted in each cycle of a request, over and over.
        cycle_us: Of each cycle.
        ttft_us: From sending a request to its first chunk, which holds one token.
        load: Requests in flight, each sent when the one *load* before it is done.
        repeat: Of the pass.
        outputs: Token ids by prompt; 2 prompts with 9 tokens each if not given.
        changes: To each request.
    """
    outputs = outputs or {"p0": list(range(9)), "p1": list(range(100, 109))}
    free_us = [0] * load
    requests = []
    for index, (prompt, tokens) in enumerate(outputs.items()):
        sent_us = free_us[index % load]
        times, counts, histogram = [sent_us + ttft_us], [1], [0] * (max(accepted or [0]) + 1)
        for drafts in cycle(accepted or [0]):
            if counts[-1] >= len(tokens):
                break
            times.append(times[-1] + cycle_us)
            counts.append(min(counts[-1] + 1 + drafts, len(tokens)))
            histogram[drafts] += 1
        free_us[index % load] = times[-1] + 1000
        meta = {} if accepted is None else _meta(histogram)
        requests.append(
            {
                "prompt": prompt,
                "sent_us": sent_us,
                "chunk_us": pack(times),
                "chunk_tokens": pack(counts),
                "output": digest(pack(tokens)),
                "prompt_tokens": 64,
                "completion_tokens": len(tokens),
                "cached_tokens": 0,
                "finish": "length",
                "meta": meta,
            }
            | changes
        )
    return {
        "load": load,
        "repeat": repeat,
        "order": repeat,
        "began_s": 0.5,
        "began_us": 1_000_000,
        "ended_us": 1_000_000 + max(free_us),
        "requests": requests,
        "outputs": {digest(packed): packed for packed in map(pack, outputs.values())},
    }


def _meta(histogram: list[int]) -> Row:
    """Return what SGLang 0.5.23 says of a request at as many steps as *histogram* has drafts."""
    return {
        "spec_verify_ct": sum(histogram),
        "spec_correct_drafts_histogram": histogram,
        "spec_num_correct_drafts": sum(j * cycles for j, cycles in enumerate(histogram)),
        "spec_num_proposed_drafts": (len(histogram) - 1) * sum(histogram),
        "spec_accept_length": 0.0,
        "spec_accept_rate": 0.0,
    }


def record_of(
    plan: Row,
    launch: str,
    passes: Sequence[Row] | dict[str, Sequence[Row]],
    *,
    round_: int = 0,
    reference: Sequence[Row] = (),
    **changes: Any,  # noqa: ANN401
) -> Row:
    """Return the record of *launch* of *plan* with *passes*, by variant where it has several."""
    planned = next(entry for entry in plan["launches"] if entry["id"] == launch)
    by_variant = passes if isinstance(passes, dict) else {planned["variants"][0]: passes}
    outputs: dict[str, str] = {}
    rows = []
    for variant, its_passes in by_variant.items():
        for row in its_passes:
            outputs |= row["outputs"]
            rows.append(
                {name: value for name, value in row.items() if name != "outputs"} | {"variant": variant}
            )
    for entry in reference:
        outputs |= entry["outputs"]
    return {
        "format": FORMAT,
        "protocol": 1,
        "status": "complete",
        "failure": None,
        "identity": {"settings": planned["digest"]},
        "launch": planned,
        "round": round_,
        "started_at": "2026-11-29T16:00:00Z",
        "host": {"cpu": {"model": "a CPU", "usable_cores": 2}, "gpus": [], "driver": None},
        "engine": {"name": plan["engine"]},
        "models": {},
        "prompts_sha256": plan["prompts_sha256"],
        "server": {"start_s": 10.0 + round_},
        "workload": plan["workload"],
        "outputs": outputs,
        "passes": rows,
        "cycles": Cycles(None, []),
        "reference": [
            {name: value for name, value in entry.items() if name != "outputs"} for entry in reference
        ],
    } | changes


def reference_of(prompt: str, tokens: list[int], second_best: list[int], gap_e4: int) -> Row:
    """Return a baseline's answer whose *second_best* tokens were all *gap_e4* / 10000 nats below its own."""
    packed = pack(tokens)
    return {
        "prompt": prompt,
        "output": digest(packed),
        "top_k": 2,
        "top_ids": pack([token for both in zip(tokens, second_best, strict=True) for token in both]),
        "top_logprobs_e4": pack([-1000, -1000 - gap_e4] * len(tokens)),
        "outputs": {digest(packed): packed},
    }


@pytest.fixture
def make_plan() -> MakePlan:
    """Return `plan_of`."""
    return plan_of


@pytest.fixture
def make_pass() -> MakePass:
    """Return `pass_of`."""
    return pass_of


@pytest.fixture
def make_record() -> MakeRecord:
    """Return `record_of`."""
    return record_of


@pytest.fixture
def make_reference() -> Callable[[str, list[int], list[int], int], Row]:
    """Return `reference_of`."""
    return reference_of


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project of its own for Snakemake, that nothing was run in."""
    return Project(tmp_path)
