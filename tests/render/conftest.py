"""A study with a bit of everything: two loads, two NCCL variants, a tree, a control, failures."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sweetspot.render.figures import save_all
from sweetspot.render.report import ReportContext

Row = dict[str, Any]

NCCL: dict[str, Any] = {
    "reference": "default",
    "variants": {
        "default": {"status": "seen", "detail": None, "without_effect": False},
        "ll": {"status": "seen", "detail": None, "without_effect": True},
        "simple": {"status": "ignored", "detail": "NCCL chose RING LL all the same", "without_effect": False},
    },
    "messages": [
        {
            **{"nccl": "simple", "draft_tokens": 3, "load": 1, "bytes": 24576, "algorithm": "RING"},
            **{
                "protocol": "LL",
                "channels": 2,
                "status": "ignored",
                "detail": "NCCL chose RING LL all the same",
            },
        }
    ],
    "times": [
        {
            "nccl": "simple",
            "bytes": size,
            "allreduce_s": 8e-6,
            "allreduce_low_s": 7e-6,
            "allreduce_high_s": 10e-6,
        }
        for size in (8192, 24576)
    ],
    "prediction": [
        {
            **{"variant": "s2.simple", "nccl": "simple", "load": 1, "bytes": 24576, "all_reduces": 65},
            **{"allreduce_s": 8e-6, "allreduce_low_s": 7.9e-6, "allreduce_high_s": 8.2e-6},
            **{"on_the_path": True, "predicted_s": 520e-6, "measured_s": 6e-3},
            **{"predicted_difference_s": 1e-4, "measured_difference_s": 2e-4, "rest_s": 1e-4},
            **{"measured_difference_low_s": 5e-5, "measured_difference_high_s": 3.5e-4},
        }
    ],
}

COMPLETE = {
    "args_set": None,
    "load": 1,
    "control": False,
    "untimed": False,
    "launch": "oneload.default",
    "status": "complete",
    "failure": None,
    "rounds": 3,
    "passes": 15,
    "requests": 60,
    "decode_tokens_per_s": 200.4,
    "decode_tokens_per_s_low": 198.1,
    "decode_tokens_per_s_high": 203.9,
    "speedup": 1.0,
    "speedup_low": None,
    "speedup_high": None,
    "accept_length": None,
    "accept_rate": None,
    "proposed_drafts": None,
    "acceptance_by_position": None,
    "cycle_s": 0.005,
    "draft_s": None,
    "verify_s": None,
    "extend_s": None,
    "decode_s": 0.0047,
    "other_s": 0.0003,
    "host_s": 0.0021,
    "break_even_accept_length": None,
    "ttft_p50_s": 0.0312,
    "ttft_p95_s": 0.05,
    "ttft_p99_s": 0.061,
    "itl_chunk_p50_s": 0.01,
    "itl_chunk_p95_s": 0.012,
    "itl_chunk_p99_s": 0.02,
    "itl_token_p50_s": 0.005,
    "itl_token_p95_s": 0.006,
    "itl_token_p99_s": 0.01,
    "prefill_s": 0.03,
    "identity_residual": None,
    "exact": "reference",
    "first_divergence": None,
    "worst_nats": None,
    "inexact_reason": None,
    "diverged_share": None,
    "noise_floor_share": None,
    "server_tokens_per_s": 201.0,
    "client_cost": 0.01,
    "start_s": 14.2,
}
BASELINE = {**COMPLETE, "num_steps": 0, "eagle_topk": 0, "num_draft_tokens": 0}
CHAIN = {
    **COMPLETE,
    "num_steps": 2,
    "eagle_topk": 1,
    "num_draft_tokens": 3,
    "decode_tokens_per_s": 241.26,
    "decode_tokens_per_s_low": 239.9,
    "decode_tokens_per_s_high": 242.7,
    "speedup": 1.2039,
    "speedup_low": 1.1912,
    "speedup_high": 1.2178,
    "accept_length": 2.134,
    "accept_rate": 0.567,
    "proposed_drafts": 1872,
    "acceptance_by_position": [0.7, 0.434],
    "cycle_s": 0.0088,
    "draft_s": 0.0015,
    "verify_s": 0.006,
    "extend_s": 0.0009,
    "decode_s": None,
    "other_s": 0.0004,
    "break_even_accept_length": 1.764,
    "identity_residual": -0.0051,
    "exact": "exact",
    "diverged_share": 0.0,
    "noise_floor_share": 0.0,
}
TREE = {
    **CHAIN,
    "num_steps": 3,
    "eagle_topk": 4,
    "num_draft_tokens": 8,
    "acceptance_by_position": [0.8, 0.5, 0.3],
    "exact": "inexact",
    "first_divergence": 17,
    "worst_nats": 1.71,
    "inexact_reason": "beyond a near-tie",
    "diverged_share": 0.25,
}
LOST = {name: None for name in COMPLETE} | {
    "load": 1,
    "control": False,
    "untimed": False,
    "status": "failed",
    "rounds": 0,
    "passes": 0,
    "num_steps": 5,
    "eagle_topk": 1,
    "num_draft_tokens": 6,
}
DEFAULT = {"nccl": "default", "baseline": "none.default"}
RING = {"nccl": "ring-ll", "baseline": "none.ring-ll"}
ROWS = [
    {**CHAIN, **DEFAULT, "variant": "s2.default"},
    {**CHAIN, **DEFAULT, "variant": "s2.default", "load": 4, "cycle_s": None},
    {**TREE, **DEFAULT, "variant": "s3k4d8.default"},
    {**TREE, **DEFAULT, "variant": "s3k4d8.default", "load": 4},
    {**LOST, **DEFAULT, "variant": "s5.default", "failure": "stalled"},
    {**LOST, **DEFAULT, "variant": "s5.default", "failure": "stalled", "load": 4},
    {**BASELINE, **DEFAULT, "variant": "none.default"},
    {**BASELINE, **DEFAULT, "variant": "none.default", "load": 4},
    {**BASELINE, **DEFAULT, "variant": "none-again.default", "control": True, "exact": "exact"},
    {**BASELINE, **DEFAULT, "variant": "none-again.default", "control": True, "exact": "exact", "load": 4},
    {**BASELINE, **RING, "variant": "none.ring-ll"},
    {**BASELINE, **RING, "variant": "none.ring-ll", "load": 4},
    {**CHAIN, **RING, "variant": "s2.ring-ll", "status": "partial", "failure": "died"},
    {**LOST, **RING, "variant": "s2.ring-ll", "failure": "died", "load": 4},
]
VERDICTS = {
    "s2.default": "faster",
    "s3k4d8.default": "unclear",
    "s5.default": "failed",
    "none.default": "reference",
    "none-again.default": "unclear",
    "none.ring-ll": "reference",
    "s2.ring-ll": "broken",
}


CAUTIONS = ["CPU: says nothing about a GPU", "Not from a lock"]
SENTENCE = "s2.default is 1.20 [1.19, 1.22] times as fast as none.default at load 1"
VERDICT = {
    "verdict_load": 1,
    "winner": "s2.default",
    "sentence": SENTENCE,
    "detail": "s2.default is the fastest as measured, and not told apart from s3k4d8.default.",
    "warnings": [],
    "rows": [
        {"variant": row["variant"], "load": row["load"], "verdict": VERDICTS[row["variant"]], "reasons": []}
        for row in ROWS
    ],
}


@pytest.fixture(scope="session")
def summary() -> pl.DataFrame:
    """Fourteen rows, the baseline not first."""
    return pl.DataFrame(ROWS, infer_schema_length=None)


@pytest.fixture
def verdict() -> dict[str, Any]:
    """`verdict.json`: s2.default wins at load 1. A test may change it."""
    return deepcopy(VERDICT)


@pytest.fixture(scope="session")
def saved(summary: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of every figure. Drawing takes a second, so it is done once."""
    return save_all(summary, VERDICT, tmp_path_factory.mktemp("figures"), cautions=CAUTIONS)


@pytest.fixture
def context(summary: pl.DataFrame, verdict: dict[str, Any]) -> ReportContext:
    """A report of the CPU engine, with one failure and no figures."""
    return ReportContext(
        plan={
            "study": "quickstart",
            "sglang": "0.5.23",
            "variants": [],
            "prompts_sha256": "9f86d081884c7d659a2feaa0c55ad015",
            "rounds": 3,
            "launches": [
                {
                    **{"id": "s2.default", "kind": "dedicated", "reason": "a CPU", "variants": []},
                    **{"args": {"device": "cpu"}, "env": {}},
                }
            ],
            "dropped": [{"cell": "s2k1d8.default", "reason": "the same as s2.default"}],
            "workload": {"repeats": 5, "generation": {"temperature": 0}, "near_tie_nats": 0.0},
        },
        host={"cpu": {"model": "EPYC", "usable_cores": 2}, "gpus": [], "topology": None},
        engine={"name": "engine-cpu", "packages": {"sglang": "0.5.23", "torch": "2.13.0+cpu"}},
        models={
            "constructed": {"shape": "tiny", "acceptance": [0.75], "seed": 0},
            "target": {"folder": "target"},
        },
        summary=summary,
        verdict=verdict,
        nccl=NCCL,
        apart=[],
        failures=[
            {
                "launch": "s5.default",
                "round": 1,
                "kind": "stalled",
                "message": "no token for 120 s",
                "last_words": ["Capture begin", "illegal memory access"],
            }
        ],
        figures={},
        protocol=1,
        launch_command="python -m sglang.launch_server --speculative-num-steps 2",
    )
