"""Adds up what the passes of one variant and load counted. Pure."""

import math
from collections.abc import Mapping
from statistics import fmean, median
from typing import Any

import numpy as np
import polars as pl

from sweetspot.measure.acceptance import (
    accept_length,
    accept_length_from_histogram,
    acceptance_by_position,
    conditional_acceptance,
)
from sweetspot.measure.latency import percentiles, percentiles_of_histogram
from sweetspot.measure.passes import add_histograms

Row = dict[str, Any]


def round_medians(passes: pl.DataFrame, name: str) -> dict[int, float]:
    """Return a column's median over the repeats of a launch, by round. Rounds without a value are left out.

    Of several launches in a round it is the geometric mean of theirs.

    Between two middle values lies their geometric mean: then the median of a rate and that of its inverse
    are inverse to each other, and the identity holds for medians where it holds for each repeat.

    Args:
        passes: Of one variant and load.
        name: Of a column of numbers above 0.
    """
    starts: dict[int, dict[str, list[float]]] = {}
    for round_, launch, value in zip(passes["round"], passes["launch"], passes[name], strict=True):
        if value is not None:
            starts.setdefault(round_, {}).setdefault(launch, []).append(math.log(value))
    return {
        round_: math.exp(fmean(median(logs) for logs in launches.values()))
        for round_, launches in starts.items()
    }


def pooled_acceptance(passes: pl.DataFrame, variant: Mapping[str, Any]) -> Row:
    """Return the columns on acceptance, from counts summed over *passes*.

    Proposed drafts are counted from the variant: a server that switches between step counts always says those
    of the one it was started with.
    """
    if not variant["num_steps"]:
        return {"accept_length": 1.0}
    counted = passes.filter(pl.col("verify_ct").is_not_null())
    if not counted.height:
        return {"accept_length": None}
    verify_ct = int(counted["verify_ct"].sum())
    decode_tokens = int((counted["completion_tokens"] - counted["requests"]).sum())
    row: Row = {
        "accept_length": accept_length(decode_tokens, verify_ct),
        "accept_lengths_agree": counted["accept_lengths_agree"].all(ignore_nulls=False),
        "proposed_drafts": verify_ct * (variant["num_draft_tokens"] - 1),
    }
    if not counted["correct_drafts"].null_count():
        row["accept_rate"] = counted["correct_drafts"].sum() / row["proposed_drafts"]
    if not counted["accept_histogram"].null_count():
        nothing = [0] * (variant["num_steps"] + 1)
        histogram = add_histograms([nothing, *counted["accept_histogram"].to_list()])
        row["accept_length_from_histogram"] = accept_length_from_histogram(histogram)
        row["acceptance_by_position"] = acceptance_by_position(histogram).tolist()
        row["conditional_acceptance"] = conditional_acceptance(histogram).tolist()
    return row


def pooled_latency(passes: pl.DataFrame, requests: pl.DataFrame) -> Row:
    """Return the columns on latency, of all requests and all chunk intervals of *passes*."""
    row = {
        "prefill_s": requests["ttft_s"].mean(),
        "prefill_tokens": (requests["prompt_tokens"] - requests["cached_tokens"]).mean(),
        **percentiles("ttft", requests["ttft_s"].to_numpy()),
    }
    for name in ("itl_chunk", "itl_token"):
        bins, counts = (
            np.concatenate([[], *passes[f"{name}_{part}"].to_list()]).astype(np.int64)
            for part in ("bins", "counts")
        )
        row |= percentiles_of_histogram(name, bins, counts)
    return row
