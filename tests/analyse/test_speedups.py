"""The false claims are counted on 4000 made-up studies a case, with an effect of its own for every start.

A rate of 5 % comes out at most at 5.9 % in 99 of 100 such counts.
"""

from typing import Any

import numpy as np
import pytest

from sweetspot.analyse.design import Design
from sweetspot.analyse.speedups import family
from tests.analyse.made_up import against_first, claims, design_of

STUDIES = 4000
BOUND = 0.05 + 2.5 * (0.05 * 0.95 / STUDIES) ** 0.5


def false_claims(found: dict[int, Any], effects: list[float]) -> float:
    """Return the share of studies that claim any difference of an arm that has none."""
    wrong = [found[arm] != 0 for arm in found if effects[arm] == 0]
    return float(np.any(wrong, axis=0).mean())


@pytest.mark.simulation
class TestFalseClaims:
    """Of studies in which nothing differs, at most 5 % claim that anything does."""

    @pytest.mark.parametrize("comparisons", [4, 5])
    @pytest.mark.parametrize("rounds", [3, 5, 12])
    @pytest.mark.parametrize("shared_start", [True, False])
    def test_nothing_differs(self, comparisons: int, rounds: int, shared_start: bool) -> None:
        """However many variants and rounds, and however they are launched."""
        effects = [0.0] * (comparisons + 1)
        design = design_of(STUDIES, rounds, effects, shared_start=shared_start, seed=rounds)

        rate = false_claims(claims(against_first(design)), effects)

        assert rate <= BOUND
        assert rate >= 0.03  # nor is the level given away

    @pytest.mark.parametrize("rounds", [3, 5, 12])
    def test_some_differ(self, rounds: int) -> None:
        """What is found of some variants makes no claim about the others more likely than 5 %."""
        effects = [0, 0.3, 0, -0.3, 0.0]

        found = claims(against_first(design_of(STUDIES, rounds, effects, shared_start=False)))

        assert false_claims(found, effects) <= BOUND
        assert (found[3] <= 0).all()

    def test_two_baselines(self) -> None:
        """Two NCCL variants with a baseline each are one family."""
        design = design_of(STUDIES, 5, [0] * 6, shared_start=False)

        found = claims(family(design, {1: (0,), 2: (0,), 4: (3,), 5: (3,)}))

        assert 0.03 <= false_claims(found, [0] * 6) <= BOUND

    def test_a_control(self) -> None:
        """Nor does it hurt that a control is compared with the baseline and then stands beside it."""
        design = design_of(STUDIES, 5, [0] * 6, shared_start=False)

        assert 0.03 <= false_claims(claims(against_first(design, 1)), [0] * 6) <= BOUND

    def test_a_noisy_variant(self) -> None:
        """One variant with twice the spread of the others costs little of the promise."""
        design = design_of(STUDIES, 12, [0] * 5, shared_start=False, starts=[0.02] * 4 + [0.04])

        assert false_claims(claims(against_first(design)), [0] * 5) <= 0.065


@pytest.mark.simulation
class TestFound:
    """How often a true difference of 3 % is found."""

    def test_in_one_launch(self) -> None:
        """At 5 rounds it is found in 90 % and more where variants share a start, alone among four."""
        design = design_of(STUDIES, 5, [0, 0.03, 0, 0, 0], shared_start=True)

        assert (claims(against_first(design))[1] == 1).mean() >= 0.9

    def test_in_a_sweep(self) -> None:
        """At 12 rounds of launches of their own, where the other variants differ by more."""
        design = design_of(STUDIES, 12, [0, 0.03, 0.1, 0.2, -0.1], shared_start=False)

        assert (claims(against_first(design))[1] == 1).mean() >= 0.9

    def test_alone_with_a_control(self) -> None:
        """At 12 rounds, alone among four that don't differ, if a control doubles the baseline."""
        design = design_of(STUDIES, 12, [0, 0, 0.03, 0, 0, 0], shared_start=False)

        assert (claims(against_first(design, 1))[2] == 1).mean() >= 0.9

    @pytest.mark.parametrize(("rounds", "found"), [(12, 0.82), (15, 0.92)])
    def test_alone(self, rounds: int, found: float) -> None:
        """Without a control it takes 15 rounds: the baseline is known too little at 12."""
        design = design_of(STUDIES, rounds, [0, 0.03, 0, 0, 0], shared_start=False)

        assert (claims(against_first(design))[1] == 1).mean() == pytest.approx(found, abs=0.02)


class TestFamily:
    """Tests of `Family`."""

    @pytest.mark.parametrize("starts", [None, [0.02, 0.02, 0.02, 0.2]])
    @pytest.mark.parametrize("shared_start", [True, False])
    def test_p_values_agree_with_intervals(self, shared_start: bool, starts: list[float] | None) -> None:
        """An interval leaves 1 out exactly if the adjusted p-value is below 5 %."""
        for seed in range(40):
            effects = [0, 0.02, 0.05, -0.03]
            design = design_of(
                1, 4, effects, shared_start=shared_start, starts=None if shared_start else starts, seed=seed
            )
            found = against_first(design)

            p_values = found.p_values()

            for arm, claim in claims(found).items():
                assert (p_values[arm] < 0.05) == (claim[0] != 0)

    def test_one_study_or_many(self) -> None:
        """What is simulated at once is what each study gets by itself."""
        design = design_of(30, 5, [0, 0.03, 0.05, 0], shared_start=False)
        together = against_first(design).half_widths()

        for study in range(30):
            alone = against_first(Design(design.logs[study : study + 1], design.launches)).half_widths()

            assert {arm: width[0] for arm, width in alone.items()} == pytest.approx(
                {arm: width[study] for arm, width in together.items()}
            )

    def test_more_comparisons_ask_for_more(self) -> None:
        """The same ratio among more variants has the wider interval."""
        design = design_of(1, 5, [0] * 6, shared_start=False)
        few = family(design, {1: (0,)})

        assert few.half_widths()[1][0] < against_first(design).half_widths()[1][0]

    def test_a_missing_round(self) -> None:
        """A variant that lacks a round keeps its place, with fewer rounds to go by."""
        logs = np.random.default_rng(0).normal(0, 0.02, (1, 5, 4))
        logs[0, 2, 3] = np.nan

        found = against_first(Design(logs, list("abcd")))

        widths = found.half_widths()
        assert found.differences[3].rounds == (0, 1, 3, 4)
        assert np.isfinite([width[0] for width in widths.values()]).all()
        assert widths[3][0] > widths[1][0]

    def test_two_kinds_of_launch(self) -> None:
        """A variant that needs a launch of its own is tested by itself, at its share of the 5 %."""
        logs = np.random.default_rng(0).normal(0, 0.02, (1, 5, 4))

        found = against_first(Design(logs, ["one", "one", "one", "own"]))

        assert [found.differences[arm].arms for arm in (1, 2, 3)] == [(0, 1, 2), (0, 1, 2), ()]
        expected = 3.961 * found.differences[3].own_error[0]  # Student's t at 4 degrees, 5 % / 3 comparisons
        assert found.half_widths()[3][0] == pytest.approx(expected, rel=1e-3)
