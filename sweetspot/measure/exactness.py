"""Says for each variant and load whether its outputs are the baseline's. Pure."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from sweetspot.measure.compared import greedy

NOT_CLAIMED = "not claimed (temperature > 0)"
NO_BASELINE = "no baseline"
OF_BASELINES = ("noise_floor_share", "baseline_diverged_share")


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
        .agg(noise_floor_share=pl.when(greedy(plan)).then(diverged.mean()))
    )
    answers = compared.filter("is_reference").select("baseline", "prompt", "output")
    first = answers.filter(pl.col("baseline") == plan["variants"][0]["baseline"])
    apart = (
        answers.join(first.select("prompt", first="output"), on="prompt")
        .group_by("baseline")
        .agg(baseline_diverged_share=pl.when(greedy(plan)).then((pl.col("output") != pl.col("first")).mean()))
    )
    status = (
        pl.when(not greedy(plan))
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
            compared=pl.col("reference").count() * greedy(plan),
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
