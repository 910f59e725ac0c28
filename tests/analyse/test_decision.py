"""The winner is counted on 500 made-up studies a case: 5 % comes out at most at 7.4 % in 99 of 100 counts."""

from typing import Any

import numpy as np
import pytest

from sweetspot.analyse.decision import decide
from sweetspot.analyse.speedup_columns import speedup_columns
from tests.analyse.made_up import design_of, row_of

pytestmark = pytest.mark.simulation

STUDIES = 500
BOUND = 0.05 + 2.5 * (0.05 * 0.95 / STUDIES) ** 0.5


def decided(variants: dict[str, float], rounds: int) -> list[dict[str, Any]]:
    """Return what `decide` says of studies of *variants*, which are faster by a share."""
    logs = design_of(STUDIES, rounds, list(variants.values()), shared_start=False).logs
    found = []
    for speeds in np.exp(logs).transpose(0, 2, 1).tolist():
        rows = [row_of(variant, by_round) for variant, by_round in zip(variants, speeds, strict=True)]
        for row, columns in zip(rows, speedup_columns(rows), strict=True):
            row.update(columns)
            low, high = row["speedup_low"], row["speedup_high"]
            row["verdict"] = "reference" if low is None else "unclear"
            row["verdict"] = (
                row["verdict"] if low is None or low < 1 < high else "faster" if low > 1 else "slower"
            )
        decision = decide(rows)
        assert decision.winner is not None
        spot = [row["variant"] for row in decision.sweet_spot]
        found.append({"winner": decision.winner["variant"], "spot": spot})
    return found


def test_no_winner_over_an_equal_baseline() -> None:
    """Where nothing is faster than the best baseline, speculation wins in at most 5 % of studies.

    All of the slow NCCL variant's configurations beat their own baseline by far, and equal the other one.
    """
    variants = {"none.default": 0.0, "s2.default": 0.3, "s3.default": 0.3}
    variants |= {"none.ring": 0.3, "s2.ring": 0.3, "s3.ring": 0.3}

    found = decided(variants, rounds=5)

    assert np.mean([not study["winner"].startswith("none") for study in found]) <= BOUND


def test_the_best_is_in_the_sweet_spot() -> None:
    """Of four that differ by 1 %, the truly fastest is not in the sweet spot in at most 5 % of studies."""
    variants = {"none.default": 0.0, "s1.default": 0.30, "s2.default": 0.31, "s3.default": 0.32}
    variants |= {"s5.default": 0.31}

    found = decided(variants, rounds=5)

    assert np.mean(["s3.default" not in study["spot"] for study in found]) <= BOUND
