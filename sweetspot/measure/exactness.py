"""Compares every output with the baseline's, and says for each variant and load whether they are equal.

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

NOT_CLAIMED = "not claimed (temperature > 0)"
NO_BASELINE = "no baseline"
OF_BASELINES = ("noise_floor_share", "baseline_diverged_share")


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
    differs = pl.lit(_greedy(plan)) & (pl.col("output") != pl.col("reference"))
    pairs = requests.filter(differs).select(PAIR).unique(maintain_order=True)
    found = _divergences(pairs, plan["workload"]["near_tie_nats"], outputs, references)
    return requests.join(found, on=PAIR, how="left", maintain_order="left").with_columns(
        pl.col("is_reference").fill_null(False)
    )


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


def _greedy(plan: Mapping[str, Any]) -> bool:
    """Return whether the outputs of the study are to be equal."""
    return bool(plan["workload"]["generation"]["temperature"] == 0)


def _check_prompts(requests: pl.DataFrame) -> None:
    """Raise if a baseline is known for some prompts of its variants and not for others."""
    known = pl.col("reference").is_not_null()
    for row in requests.filter(~known & known.any().over("baseline")).iter_rows(named=True):
        raise MeasureError(
            f"{row['variant']}: prompt {row['prompt']} was never sent to {row['baseline']}, "
            "expected the same prompts; measure both again"
        )


def exactness(compared: pl.DataFrame, plan: Mapping[str, Any]) -> pl.DataFrame:
    """Return a row for each variant and load that was measured.

    Args:
        compared: Requests, as `compare` returns them.
        plan: The content of plan.json.

    Returns:
        `variant`, `load`, `baseline`, `status`, `requests`, `diverged`, `near_ties`, `first_divergence`,
        `worst_nats`, `reason` (of the earliest difference that is no near-tie) and `noise_floor_share`: of
        the baseline's own requests, how many differ from the reference, over all loads; and
        `baseline_diverged_share`: of its references, how many differ from those of the first baseline.
        Counts and shares are null where nothing was compared.
    """
    diverged = pl.col("first_divergence").is_not_null()
    inexact = diverged & ~pl.col("near_tie")
    noise = (
        compared.filter((pl.col("variant") == pl.col("baseline")) & ~pl.col("is_reference"))
        .group_by("baseline")
        .agg(noise_floor_share=pl.when(_greedy(plan)).then(diverged.mean()))
    )
    answers = compared.filter("is_reference").select("baseline", "prompt", "output")
    first = answers.filter(pl.col("baseline") == plan["variants"][0]["baseline"])
    apart = (
        answers.join(first.select("prompt", first="output"), on="prompt")
        .group_by("baseline")
        .agg(
            baseline_diverged_share=pl.when(_greedy(plan)).then((pl.col("output") != pl.col("first")).mean())
        )
    )
    status = (
        pl.when(not _greedy(plan))
        .then(pl.lit(NOT_CLAIMED))
        .when(pl.col("variant") == pl.col("baseline"))
        .then(pl.lit("reference"))
        .when(pl.col("compared") == 0)
        .then(pl.lit(NO_BASELINE))
        .when(pl.col("diverged") == 0)
        .then(pl.lit("exact"))
        .when(pl.col("diverged") == pl.col("near_ties"))
        .then(pl.lit("near-tie"))
        .otherwise(pl.lit("inexact"))
    )
    return (
        compared.group_by("variant", "load", "baseline", maintain_order=True)
        .agg(
            requests=pl.len(),
            compared=pl.col("reference").count() * _greedy(plan),
            diverged=diverged.sum(),
            near_ties=pl.col("near_tie").sum(),
            first_divergence=pl.col("first_divergence").min(),
            worst_nats=pl.col("gap_nats").max(),
            reason=pl.col("reason")
            .filter(inexact)
            .sort_by(pl.col("first_divergence").filter(inexact))
            .first(),
        )
        .join(noise, on="baseline", how="left", maintain_order="left")
        .join(apart, on="baseline", how="left", maintain_order="left")
        .with_columns(status=status)
        .with_columns(pl.when(pl.col("compared") > 0).then(pl.col("diverged", "near_ties")).name.keep())
        .drop("compared")
    )
