"""Turns the requests of a pass into columns: what each was, how long it took, what the server counted."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from sweetspot.errors import MeasureError
from sweetspot.measure.chunks import AGAIN, Chunks
from sweetspot.measure.meta_info import Counts, read_counts

TEXT, WHOLE, REAL, FLAG = pl.String(), pl.Int64(), pl.Float64(), pl.Boolean()
WHOLES = pl.List(pl.Int64())

KEY = {"launch": TEXT, "round": WHOLE, "variant": TEXT, "load": WHOLE, "repeat": WHOLE, "order": WHOLE}

REQUESTS: dict[str, pl.DataType] = KEY | {
    "prompt": TEXT,
    "sent_s": REAL,  # since the pass began
    "ttft_s": REAL,
    "decode_s": REAL,  # first chunk to last
    "prompt_tokens": WHOLE,
    "cached_tokens": WHOLE,
    "completion_tokens": WHOLE,
    "decode_tokens": WHOLE,  # after the first chunk
    "decode_chunks": WHOLE,  # after the first
    "verify_ct": WHOLE,
    "correct_drafts": WHOLE,
    "server_decode_s": REAL,  # by the server's clock
    "finish": TEXT,
    "output": TEXT,  # digest
}


def request_columns(
    requests: Sequence[dict[str, Any]], chunks: Chunks, counts: list[Counts] | None
) -> dict[str, Any]:
    """Return the columns of `REQUESTS` after its key. Each of shape (requests,)."""
    empty = [None] * len(requests)
    return {
        "prompt": [request["prompt"] for request in requests],
        "sent_s": chunks.sent_us / 1e6,
        "ttft_s": (chunks.first_us - chunks.sent_us) / 1e6,
        "decode_s": (chunks.last_us - chunks.first_us) / 1e6,
        "prompt_tokens": [request["prompt_tokens"] for request in requests],
        "cached_tokens": [request["cached_tokens"] for request in requests],
        "completion_tokens": [request["completion_tokens"] for request in requests],
        "decode_tokens": chunks.decode_tokens,
        "decode_chunks": chunks.decode_chunks,
        "verify_ct": empty if counts is None else [c.verify_ct for c in counts],
        "correct_drafts": empty if counts is None else [c.correct_drafts for c in counts],
        "server_decode_s": [_server_decode_s(request) for request in requests],
        "finish": [request["finish"] for request in requests],
        "output": [request["output"] for request in requests],
    }


def _server_decode_s(request: dict[str, Any]) -> float | None:
    """Return the seconds behind `decode_throughput`, SGLang's tokens after the first by their time."""
    rate: float | None = request["meta"].get("decode_throughput")
    return None if rate is None else (request["completion_tokens"] - 1) / rate


def request_counts(requests: Sequence[dict[str, Any]], where: str) -> list[Counts] | None:
    """Return the counts of each request, or None if the server gave none at all.

    Raises:
        MeasureError: If only some requests have counts, or the counts of one contradict each other.
    """
    found = []
    for request in requests:
        counts = read_counts(request["meta"], f"{where}, prompt {request['prompt']}")
        if counts is None and request["completion_tokens"] == 1:
            counts = Counts(0, np.zeros(1, dtype=np.int64), 0, 0)  # prefill gave its only token
        found.append(counts)
    given = [counts for counts in found if counts is not None]
    if not any(counts.verify_ct for counts in given):
        return None
    if len(given) < len(found):
        prompt = requests[found.index(None)]["prompt"]
        raise MeasureError(f"{where}, prompt {prompt}: no spec_verify_ct, expected one as elsewhere; {AGAIN}")
    return given
