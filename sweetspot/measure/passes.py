"""Turns one pass of a record into a row, and its requests into rows."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from sweetspot.errors import MeasureError
from sweetspot.measure.acceptance import accept_length, accept_length_from_histogram, cut_explains
from sweetspot.measure.chunks import AGAIN, Chunks, Ints, unpack_chunks
from sweetspot.measure.latency import PERCENTILES, histogram, percentiles
from sweetspot.measure.meta_info import Counts
from sweetspot.measure.phases import PHASES, phases
from sweetspot.measure.requests import FLAG, KEY, REAL, WHOLE, WHOLES, request_columns, request_counts
from sweetspot.measure.throughput import identity_residual, throughput
from sweetspot.measure.timed import UNTIMED, Timed

Row = dict[str, Any]

ACCEPTANCE: dict[str, pl.DataType] = {
    "verify_ct": WHOLE,
    "correct_drafts": WHOLE,
    "accept_histogram": WHOLES,  # cycles that accepted 0, 1, ... drafts
    "server_proposed_drafts": WHOLE,  # by the step count that the server was started with
    "accept_length": REAL,
    "accept_length_from_histogram": REAL,
    "accept_lengths_agree": FLAG,
}

PASSES: dict[str, pl.DataType] = (
    KEY
    | {
        "began_s": REAL,  # since the server was ready
        "requests": WHOLE,
        "prefill_tokens": WHOLE,  # of all requests, without cached ones
        "completion_tokens": WHOLE,  # of all requests
        "prefill_s": REAL,  # mean
        "full_load_s": REAL,
        "full_load_cycles": WHOLE,
        "decode_tokens_per_s": REAL,
        "chunk_cycle_s": REAL,
        "cycle_s": REAL,
        "identity_residual": REAL,
        "server_tokens_per_s": REAL,
        "client_cost": REAL,
    }
    | PHASES
    | ACCEPTANCE
    | {f"{name}_p{percent}_s": REAL for name in ("ttft", "itl_chunk", "itl_token") for percent in PERCENTILES}
    | {f"itl_{by}_{part}": WHOLES for by in ("chunk", "token") for part in ("bins", "counts")}
)


def measure_pass(
    pass_: Row, num_steps: int, where: str, timed: Timed = UNTIMED
) -> tuple[Row, dict[str, Any]]:
    """Return the pass as a row of `PASSES` and its requests as columns of `REQUESTS`, without their key.

    Args:
        pass_: One of a record's passes.
        num_steps: Of its variant; 0 for a baseline, whose counts are left out.
        where: Record, variant and load, for messages.
        timed: The cycles of the launch.

    Raises:
        RecordError: If a list can't be unpacked.
        MeasureError: If the counts or times of the pass contradict each other.
    """
    requests = pass_["requests"]
    chunks = unpack_chunks(requests, where)
    completion = np.array([request["completion_tokens"] for request in requests], dtype=np.int64)
    counts = request_counts(requests, where) if num_steps else None
    columns = request_columns(requests, chunks, counts)
    row: Row = {
        "began_s": pass_["began_s"],
        "requests": len(requests),
        "prefill_tokens": sum(r["prompt_tokens"] - r["cached_tokens"] for r in requests),
        "completion_tokens": int(completion.sum()),
        "prefill_s": float(columns["ttft_s"].mean()),
        **_speed(chunks, pass_["load"], where),
        **phases(timed, pass_["began_us"], chunks, pass_["load"], num_steps, where),
        **_acceptance(counts, completion - 1, num_steps),
        **_server_speed(columns, completion - 1, pass_["load"]),
        **percentiles("ttft", columns["ttft_s"]),
        **_inter_token_latency(chunks),
    }
    terms = (row["decode_tokens_per_s"], pass_["load"], row["cycle_s"], row["accept_length"])
    row["identity_residual"] = None if None in terms else identity_residual(*terms)
    return row, columns


def _speed(chunks: Chunks, load: int, where: str) -> Row:
    """Return the columns of `Throughput`, and its cycle once more, which a timer's may replace."""
    try:
        found = throughput(chunks, load)
        return vars(found) | {"chunk_cycle_s": found.cycle_s}
    except MeasureError as error:
        raise MeasureError(f"{where}: {error}; {AGAIN}") from None


def _acceptance(counts: list[Counts] | None, decode_tokens: Ints, num_steps: int) -> Row:
    """Return the columns on acceptance; a baseline yields one token a cycle by definition."""
    row: Row = dict.fromkeys(ACCEPTANCE)
    if not num_steps:
        row["accept_length"] = 1.0
    if counts is None:
        return row
    verify_ct = np.array([c.verify_ct for c in counts])
    row["verify_ct"] = int(verify_ct.sum())
    row["accept_length"] = accept_length(int(decode_tokens.sum()), row["verify_ct"])
    row["correct_drafts"] = _sum([c.correct_drafts for c in counts])
    row["server_proposed_drafts"] = _sum([c.proposed_drafts for c in counts])
    histograms = [c.histogram for c in counts if c.histogram is not None]
    if len(histograms) == len(counts):
        histogram_ = add_histograms(histograms)
        row["accept_histogram"] = histogram_.tolist()
        row["accept_length_from_histogram"] = accept_length_from_histogram(histogram_)
        correct_drafts = np.array([c.correct_drafts for c in counts])
        row["accept_lengths_agree"] = cut_explains(decode_tokens, verify_ct, correct_drafts, num_steps)
    return row


def _sum(counts: Sequence[int | None]) -> int | None:
    """Return the sum of *counts*, or None if one is missing."""
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def add_histograms(histograms: Sequence[Sequence[int] | Ints]) -> Ints:
    """Return the sum of *histograms*; a short one saw no cycle with more. Shape (longest,)."""
    total = np.zeros(max(len(h) for h in histograms), dtype=np.int64)
    for histogram_ in histograms:
        total[: len(histogram_)] += histogram_
    return total


def _server_speed(columns: Mapping[str, Any], decode_tokens: Ints, load: int) -> Row:
    """Return the server's own decode speed, and what the client's falls short of it.

    Both over whole requests, so that they differ only in whose clock it was.
    """
    server_s = np.array([s or 0 for s in columns["server_decode_s"]], dtype=np.float64)
    timed = (server_s > 0) & (columns["decode_s"] > 0)
    if not timed.any():
        return {"server_tokens_per_s": None, "client_cost": None}
    server = load * float(decode_tokens[timed].sum() / server_s[timed].sum())
    client = load * float(columns["decode_tokens"][timed].sum() / columns["decode_s"][timed].sum())
    return {"server_tokens_per_s": server, "client_cost": server / client - 1}


def _inter_token_latency(chunks: Chunks) -> Row:
    """Return exact percentiles, and histograms to add up, of all chunk intervals of the pass."""
    intervals = chunks.intervals
    a_token_us = intervals.length_us / intervals.tokens
    row: Row = {
        **percentiles("itl_chunk", intervals.length_us / 1e6),
        **percentiles("itl_token", np.repeat(a_token_us / 1e6, intervals.tokens)),
    }
    row["itl_chunk_bins"], row["itl_chunk_counts"] = histogram(intervals.length_us.astype(np.float64))
    row["itl_token_bins"], row["itl_token_counts"] = histogram(a_token_us, intervals.tokens)
    return row
