"""The columns of a summary, each derived in docs/metrics.md. A number that could not be measured is null."""

import polars as pl

from sweetspot.measure.exactness import OF_BASELINES
from sweetspot.measure.latency import PERCENTILES
from sweetspot.measure.requests import FLAG, REAL, TEXT, WHOLE

SUMMARY: dict[str, pl.DataType] = (
    {"variant": TEXT, "num_steps": WHOLE, "eagle_topk": WHOLE, "num_draft_tokens": WHOLE, "nccl": TEXT}
    | {"args_set": TEXT, "load": WHOLE, "control": FLAG, "untimed": FLAG, "baseline": TEXT}
    | {"status": TEXT, "failure": TEXT}
    | {"rounds": WHOLE, "passes": WHOLE, "requests": WHOLE}
    | {"decode_tokens_per_s": REAL, "decode_tokens_per_s_low": REAL, "decode_tokens_per_s_high": REAL}
    | {"full_load_share": REAL, "launch": TEXT}
    | {"decode_tokens_per_s_by_round": pl.List(REAL), "verify_s_by_round": pl.List(REAL)}
    | {"speedup": REAL, "speedup_low": REAL, "speedup_high": REAL, "p_value_adjusted": REAL}
    | {"resolution": REAL, "speedup_bootstrap_low": REAL, "speedup_bootstrap_high": REAL}
    | {"accept_length": REAL, "accept_length_from_histogram": REAL, "accept_lengths_agree": FLAG}
    | {"accept_rate": REAL, "proposed_drafts": WHOLE}
    | {"acceptance_by_position": pl.List(REAL), "conditional_acceptance": pl.List(REAL)}
    | {"cycle_s": REAL, "cycle_clock": TEXT, "chunk_cycle_s": REAL, "timed_cycles": WHOLE}
    | {"draft_s": REAL, "verify_s": REAL, "extend_s": REAL, "decode_s": REAL, "other_s": REAL}
    | {"host_s": REAL, "timed_share": REAL}
    | {"break_even_accept_length": REAL, "identity_residual": REAL}
    | {f"{name}_p{percent}_s": REAL for name in ("ttft", "itl_chunk", "itl_token") for percent in PERCENTILES}
    | {"prefill_s": REAL, "prefill_tokens": REAL}
    | {"exact": TEXT, "first_divergence": WHOLE, "worst_nats": REAL, "inexact_reason": TEXT}
    | {"diverged_share": REAL}
    | dict.fromkeys(OF_BASELINES, REAL)
    | {"server_tokens_per_s": REAL, "client_cost": REAL, "start_s": REAL}
)
