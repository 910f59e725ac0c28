"""Sets each request beside what its baseline answered, and says where the two part.

The reference for a prompt is the first output that the baseline gave: lowest round, then load, then repeat.
Equal digests are equal outputs; tokens are unpacked only where digests differ. Pure.
"""

from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

import polars as pl

from sweetspot.errors import MeasureError
from sweetspot.measure.chunks import AGAIN, unpack_numbers
from sweetspot.measure.divergence import diverge, unpack_reference
from sweetspot.measure.requests import FLAG, REAL, TEXT, WHOLE

PAIR = ["baseline", "prompt", "output", "reference"]
DIVERGENCE = {"first_divergence": WHOLE, "gap_nats": REAL, "near_tie": FLAG, "reason": TEXT}

# Entries of records' `reference`, one for each distinct output, by baseline and prompt.
References = dict[tuple[str, str], dict[str, dict[str, Any]]]


def compare(
    requests: pl.DataFrame,
    plan: Mapping[str, Any],
    outputs: Mapping[str, str],
    references: References,
) -> pl.DataFrame:
    """Return *requests* beside what their baseline answered, in the same order.

    Args:
        requests: A row a request.
        plan: The content of plan.json.
        outputs: Packed token ids by digest.
        references: The baselines' answers with log probabilities.

    Returns:
        The rows with `baseline`; `reference`, a digest, null if the baseline never answered;
        `is_reference`; and the columns of `DIVERGENCE`, null where the outputs are equal, or were sampled.

    Raises:
        RecordError: If an output can't be unpacked.
        MeasureError: If a baseline answered only some of the prompts of its variants.
    """
    twins = {variant["id"]: variant["baseline"] for variant in plan["variants"]}
    baseline_of = {variant: twins[twin] for variant, twin in twins.items()}  # a control's may speculate
    requests = requests.with_columns(
        baseline=pl.col("variant").replace_strict(baseline_of, return_dtype=TEXT)
    )
    first = (
        requests.filter(pl.col("variant") == pl.col("baseline"))
        .sort("round", "load", "repeat", maintain_order=True)
        .unique(["baseline", "prompt"], keep="first", maintain_order=True)
    )
    its_pass = ["launch", "round", "variant", "load", "repeat", "prompt"]
    requests = requests.join(
        first.select("baseline", "prompt", reference="output"),
        on=["baseline", "prompt"],
        how="left",
        maintain_order="left",
    ).join(first.select(*its_pass, is_reference=True), on=its_pass, how="left", maintain_order="left")
    _check_prompts(requests)
    differs = pl.lit(greedy(plan)) & (pl.col("output") != pl.col("reference"))
    pairs = requests.filter(differs).select(PAIR).unique(maintain_order=True)
    found = _divergences(pairs, plan["workload"]["near_tie_nats"], outputs, references)
    return requests.join(found, on=PAIR, how="left", maintain_order="left").with_columns(
        pl.col("is_reference").fill_null(False)
    )


def greedy(plan: Mapping[str, Any]) -> bool:
    """Return whether the outputs of the study are to be equal."""
    return bool(plan["workload"]["generation"]["temperature"] == 0)


def _divergences(
    pairs: pl.DataFrame, near_tie_nats: float, outputs: Mapping[str, str], references: References
) -> pl.DataFrame:
    """Return *pairs* of unequal outputs with the columns of `DIVERGENCE`."""
    of_one = ["baseline", "prompt", "reference"]
    rows = []
    for (baseline, prompt, expected), group in pairs.group_by(of_one, maintain_order=True):
        where = f"{baseline}, prompt {prompt}"
        expected_tokens = unpack_numbers(outputs[expected], where)
        entries = references.get((baseline, prompt), {})
        known = [unpack_reference(entry, outputs, where) for entry in entries.values()]
        for output in group["output"]:
            tokens = unpack_numbers(outputs[output], where)
            divergence = diverge(tokens, expected_tokens, known, near_tie_nats)
            if divergence is None:
                raise MeasureError(f"{where}: one output, two digests {output} and {expected}; {AGAIN}")
            rows.append((baseline, prompt, output, expected, *astuple(divergence)))
    return pl.DataFrame(rows, {**dict.fromkeys(PAIR, TEXT), **DIVERGENCE}, orient="row")


def _check_prompts(requests: pl.DataFrame) -> None:
    """Raise if a baseline is known for some prompts of its variants and not for others."""
    known = pl.col("reference").is_not_null()
    for row in requests.filter(~known & known.any().over("baseline")).iter_rows(named=True):
        raise MeasureError(
            f"{row['variant']}: prompt {row['prompt']} was never sent to {row['baseline']}, "
            "expected the same prompts; measure both again"
        )
