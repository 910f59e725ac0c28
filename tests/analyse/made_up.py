"""Speeds of studies that were never run, with an effect of its own drawn for every start."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sweetspot.analyse.design import Design
from sweetspot.analyse.speedups import Family, family
from sweetspot.analyse.spread import Floats
from sweetspot.analyse.summary_columns import SUMMARY

BETWEEN_STARTS = 0.02  # standard deviation, as a share of the speed
WITHIN_A_START = 0.01
REPEATS = 5


def design_of(
    studies: int,
    rounds: int,
    effects: Sequence[float],
    *,
    shared_start: bool,
    baselines: int = 1,
    starts: Sequence[float] | None = None,
    launches: Sequence[str] | None = None,
    seed: int = 0,
) -> Design:
    """Return the medians of *studies*, whose arms are faster than a speed of 1 by the share in *effects*.

    Args:
        studies: How many.
        rounds: Of each.
        effects: By arm.
        shared_start: Whether all arms are measured in one launch.
        baselines: How many of the first arms are the baseline: it and its controls.
        starts: Spread between starts by arm, if it is not one for all.
        launches: Launch of each arm, if it is neither one for all nor one each.
        seed: Of all that is random.
    """
    rng = np.random.default_rng(seed)
    arms = len(effects)
    spread = np.full(arms, BETWEEN_STARTS) if starts is None else np.array(starts)
    if launches is None:
        launches = ["one"] * arms if shared_start else [f"arm {arm}" for arm in range(arms)]
    names = list(dict.fromkeys(launches))
    drawn = rng.normal(size=(studies, rounds, len(names)))[..., [names.index(name) for name in launches]]
    noise = rng.normal(0, WITHIN_A_START, (studies, rounds, arms, REPEATS))
    logs: Floats = np.log1p(effects) + drawn * spread + np.median(noise, axis=-1)
    return Design(logs, launches, range(baselines))


def claims(found: Family) -> Mapping[int, Floats]:
    """Return 1 where an interval says faster, -1 where slower, by arm. Each of shape (studies,)."""
    widths = found.half_widths()
    return {
        arm: (difference.centre > widths[arm]).astype(float) - (difference.centre < -widths[arm])
        for arm, difference in found.differences.items()
    }


def against_baseline(design: Design) -> Family:
    """Return the comparisons of each variant with all baselines, and of each control with the first."""
    arms, baselines = range(1, design.logs.shape[2]), tuple(sorted(design.baselines))
    return family(design, {arm: (0,) if arm in baselines else baselines for arm in arms})


def row_of(variant: str, by_round: Sequence[float | None] | None, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return a sound row of the summary at these speeds, in a launch of its own, without a speedup."""
    speculation, nccl = variant.split(".")
    num_steps = 0 if speculation.startswith("none") else int(speculation[1:].partition("-")[0])
    known = [speed for speed in by_round or [] if speed is not None]
    return dict.fromkeys(SUMMARY) | {
        "variant": variant,
        "num_steps": num_steps,
        "nccl": nccl,
        "load": 1,
        "control": speculation == "none-again",
        "baseline": f"none.{nccl}",
        "status": "complete",
        "launch": variant,
        "decode_tokens_per_s": float(np.exp(np.log(known).mean())) if known else None,
        "decode_tokens_per_s_by_round": None if by_round is None else list(by_round),
        "accept_length": 1.0 if num_steps == 0 else 1.5,
        "identity_residual": 0.001,
        "exact": "reference" if speculation == "none" else "exact",
        **changes,
    }
