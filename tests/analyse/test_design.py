import numpy as np
import pytest

from sweetspot.analyse.design import Design, spread
from tests.analyse.made_up import design_of


class TestSpread:
    """Tests of `spread`."""

    def test_by_hand(self) -> None:
        """Two arms whose difference is 0, 2 and 4 in three rounds: each is off the means by 1, 0 and 1."""
        logs = np.array([[[0.0, 0.0], [5.0, 3.0], [9.0, 5.0]]])

        found = spread(logs)

        assert found.freedom == 2
        assert found.deviation.tolist() == pytest.approx([2**0.5])
        assert found.alike.tolist() == [True]

    def test_rounds_and_arms_cancel(self) -> None:
        """What slows a whole round, and what makes an arm fast, is no spread."""
        rng = np.random.default_rng(0)
        logs = rng.normal(size=(1, 5, 4))
        moved = logs + rng.normal(size=(1, 5, 1)) + rng.normal(size=(1, 1, 4))

        assert spread(moved).deviation == pytest.approx(spread(logs).deviation)

    def test_a_noisy_arm_is_noticed(self) -> None:
        """At 12 rounds an arm with four times the spread hardly ever passes for one of the others."""
        alike = design_of(1000, 12, [0] * 5, shared_start=False)
        noisy = design_of(1000, 12, [0] * 5, shared_start=False, starts=[0.02] * 4 + [0.08])

        assert spread(alike.logs).alike.mean() == pytest.approx(0.95, abs=0.02)
        assert spread(noisy.logs).alike.mean() < 0.05


class TestDifference:
    """Tests of `Design.difference`."""

    def test_by_hand(self) -> None:
        """Ratios of e, e and e^4 in three rounds: mean log 2, standard deviation sqrt(3)."""
        design = Design(np.array([[[1.0, 0.0], [2.0, 1.0], [5.0, 1.0]]]), ["a", "b"])

        found = design.difference(0, 1)

        assert found is not None
        assert (found.centre[0], found.rounds) == (pytest.approx(2), (0, 1, 2))
        assert found.own_error[0] == pytest.approx(1)  # sqrt(3) / sqrt(3 rounds)
        assert found.pooled_error[0] == pytest.approx(1)  # of two arms it is the same
        assert found.freedom == 2

    def test_only_common_rounds(self) -> None:
        """A round in which one of them failed is left out; without a common one there is no difference."""
        gap = np.nan
        design = Design(np.array([[[1.0, 0.0, gap], [2.0, gap, gap], [3.0, 1.0, gap]]]), ["a", "b", "c"])

        found = design.difference(0, 1)

        assert found is not None
        assert (found.rounds, found.centre[0]) == ((0, 2), pytest.approx(1.5))
        assert design.difference(0, 2) is None

    def test_one_round(self) -> None:
        """A single pair has no spread, neither of its own nor pooled."""
        found = Design(np.array([[[1.0, 0.0, 0.5]]]), ["a", "b", "c"]).difference(0, 1)

        assert found is not None
        assert np.isnan(found.own_error[0])
        assert (found.arms, found.pooled[0]) == ((), False)

    @pytest.mark.parametrize(
        ("launches", "pool"),
        [
            ("abcd", (0, 1, 2, 3)),  # all in launches of their own
            ("aaab", (0, 1, 2)),  # both in one
            ("abbb", ()),  # of two kinds, so nothing else varies as their difference does
            ("abcc", (0, 1)),
        ],
    )
    def test_pools_what_varies_alike(self, launches: str, pool: tuple[int, ...]) -> None:
        """The spread inside a launch says nothing of that between launches."""
        rng = np.random.default_rng(0)

        found = Design(rng.normal(size=(1, 4, 4)), list(launches)).difference(1, 0)

        assert found is not None
        assert found.arms == pool

    def test_a_shared_start_cancels(self) -> None:
        """In one launch the start's own 2 % is in no difference, in launches of their own it is in each."""
        shared, apart = (design_of(400, 5, [0, 0], shared_start=kind) for kind in (True, False))

        errors = [design.difference(1, 0) for design in (shared, apart)]

        within = 0.01 * 0.5355  # median of five
        expected = [within * (2 / 5) ** 0.5, (within**2 + 0.02**2) ** 0.5 * (2 / 5) ** 0.5]
        assert [(e.own_error**2).mean() ** 0.5 for e in errors if e] == pytest.approx(expected, rel=0.06)

    def test_two_references(self) -> None:
        """A baseline measured twice a round is known better: 1 + 1/2 instead of 1 + 1 variances."""
        rng = np.random.default_rng(0)
        design = Design(rng.normal(size=(1, 4, 3)), list("abc"))

        once, twice = design.difference(2, 0), design.difference(2, 0, 1)

        assert once is not None
        assert twice is not None
        assert twice.pooled_error[0] / once.pooled_error[0] == pytest.approx((1.5 / 2) ** 0.5)
        expected = (design.logs[0, :, 2] - design.logs[0, :, :2].mean(axis=1)).mean()
        assert twice.centre[0] == pytest.approx(expected)
