import numpy as np
import pytest

from sweetspot.analyse.design import Design
from tests.analyse.made_up import design_of


class TestDifference:
    """Tests of `Design.difference`."""

    def test_by_hand(self) -> None:
        """Ratios of e, e and e^4 in three rounds: mean log 2, standard deviation sqrt(3)."""
        design = Design(np.array([[[1.0, 0.0], [2.0, 1.0], [5.0, 1.0]]]), ["a", "b"], [1])

        found = design.difference(0, 1)

        assert found is not None
        assert (found.centre[0], found.rounds) == (pytest.approx(2), (0, 1, 2))
        assert found.own_error[0] == pytest.approx(1)  # sqrt(3) / sqrt(3 rounds)
        assert found.pooled_error[0] == pytest.approx(1)  # of two arms it is the same
        assert found.freedom.tolist() == [2]

    def test_only_common_rounds(self) -> None:
        """A round in which one of them failed is left out; without a common one there is no difference."""
        gap = np.nan
        design = Design(np.array([[[1.0, 0.0, gap], [2.0, gap, gap], [3.0, 1.0, gap]]]), ["a", "b", "c"], [1])

        found = design.difference(0, 1)

        assert found is not None
        assert (found.rounds, found.centre[0]) == ((0, 2), pytest.approx(1.5))
        assert design.difference(0, 2) is None

    def test_one_round(self) -> None:
        """A single pair has no spread, neither of its own nor pooled."""
        found = Design(np.array([[[1.0, 0.0, 0.5]]]), ["a", "b", "c"], [1]).difference(0, 1)

        assert found is not None
        assert np.isnan(found.own_error[0])
        assert (found.pool, found.holds[0]) == ((), False)

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

        found = Design(rng.normal(size=(1, 4, 4)), list(launches), [0]).difference(1, 0)

        assert found is not None
        assert found.pool == pool

    def test_a_shared_start_cancels(self) -> None:
        """In one launch the start's own 2 % is in no difference, in launches of their own it is in each."""
        shared, apart = (design_of(400, 5, [0, 0], shared_start=kind) for kind in (True, False))

        errors = [design.difference(1, 0) for design in (shared, apart)]

        within = 0.01 * 0.5355  # median of five
        expected = [within * (2 / 5) ** 0.5, (within**2 + 0.02**2) ** 0.5 * (2 / 5) ** 0.5]
        assert [(e.own_error**2).mean() ** 0.5 for e in errors if e] == pytest.approx(expected, rel=0.06)

    def test_two_references(self) -> None:
        """A baseline measured twice a round is known better: 1 + 1/2 instead of 1 + 1 variances."""
        design = design_of(2000, 12, [0] * 6, shared_start=False, baselines=2)

        once, twice = design.difference(2, 0), design.difference(2, 0, 1)

        assert once is not None
        assert twice is not None
        shrinks = (twice.pooled_error / once.pooled_error).mean()
        assert shrinks == pytest.approx((1.5 / 2) ** 0.5, rel=0.01)
        expected = (design.logs[..., 2] - design.logs[..., :2].mean(axis=-1)).mean(axis=1)
        assert twice.centre == pytest.approx(expected)

    def test_what_stands_out_does_not_rest_on_the_pool(self) -> None:
        """A variant with ten times the spread of the others is noticed, and nothing else is."""
        starts = [0.02] * 5 + [0.2]
        design = design_of(200, 12, [0] * 6, shared_start=False, baselines=2, starts=starts)

        holds = {arm: found.holds.mean() for arm in (1, 2, 5) if (found := design.difference(arm, 0))}

        assert holds[1] == 1  # a control
        assert holds[2] > 0.97
        assert holds[5] == 0

    def test_of_launches_that_others_share(self) -> None:
        """Arms of two such launches differ by the starts of both, which all launches tell together."""
        launches = [name for name in "abcdef" for _ in range(3)]
        design = design_of(2000, 3, [0] * 18, shared_start=False, launches=launches)
        design = Design(design.logs, launches, range(0, 18, 3))

        within, across = design.difference(1, 0), design.difference(1, 3)

        assert within is not None
        assert across is not None
        assert (within.pool, across.pool) == ((0, 1, 2), tuple(range(18)))
        assert across.freedom.tolist() == [10.0] * 2000
        expected = (design.logs[..., 1] - design.logs[..., 3]).mean(axis=1)
        assert across.centre == pytest.approx(expected)
        assert (across.pooled_error**2).mean() == pytest.approx(expected.var(), rel=0.08)
        assert across.holds.mean() > 0.97

    def test_a_launch_that_stands_out(self) -> None:
        """One with ten times the spread of the others is noticed at 12 rounds, and no other is."""
        launches = [name for name in "abcdef" for _ in range(3)]
        starts = [0.02] * 15 + [0.2] * 3
        noisy = design_of(200, 12, [0] * 18, shared_start=False, launches=launches, starts=starts)
        design = Design(noisy.logs, launches, range(0, 18, 3))

        holds = {arm: found.holds.mean() for arm in (1, 16) if (found := design.difference(arm, 3))}

        assert holds == {1: 1, 16: 0}

    def test_references_of_one_launch(self) -> None:
        """Two that share a start are not known twice as well, so their difference stands by itself."""
        logs = np.random.default_rng(0).normal(size=(1, 4, 6))

        found = Design(logs, list("aabbcc"), [0, 1, 2, 4]).difference(3, 0, 1)

        assert found is not None
        assert found.pool == ()
