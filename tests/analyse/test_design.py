import numpy as np
import pytest

from sweetspot.analyse.arms import CONTRADICTION
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
        shrinks = (twice.pooled_error**2).mean() / (once.pooled_error**2).mean()
        assert shrinks == pytest.approx(1.5 / 2, rel=0.01)
        expected = (design.logs[..., 2] - design.logs[..., :2].mean(axis=-1)).mean(axis=1)
        assert twice.centre == pytest.approx(expected)

    @pytest.mark.parametrize("variants", [2, 4, 8])
    def test_few_stand_out_by_chance(self, variants: int) -> None:
        """Of studies in which all scatter alike, any variant stands out in at most 5 %."""
        design = design_of(4000, 12, [0] * (2 + variants), shared_start=False, baselines=2)

        found = [design.difference(arm, 0, 1) for arm in range(2, 2 + variants)]

        assert 0.01 < 1 - np.all([each.holds for each in found if each], axis=0).mean() <= CONTRADICTION

    @pytest.mark.parametrize(("rounds", "noticed"), [(3, 0.25), (5, 0.54), (12, 0.93)])
    def test_a_noisy_variant_stands_out(self, rounds: int, noticed: float) -> None:
        """One with three times the spread, among four, the more surely the more rounds there are."""
        starts = [0.02] * 5 + [0.06]
        design = design_of(4000, rounds, [0] * 6, shared_start=False, baselines=2, starts=starts)

        holds = [found.holds.mean() for arm in (2, 5) if (found := design.difference(arm, 0, 1))]

        assert holds == [pytest.approx(1, abs=0.02), pytest.approx(1 - noticed, abs=0.03)]

    def test_a_noisy_variant_stands_out_of_every_pair(self) -> None:
        """As the one that is compared and as the one that it is compared with, and no control does."""
        starts = [0.02] * 5 + [0.2]
        design = design_of(200, 12, [0] * 6, shared_start=False, baselines=2, starts=starts)

        pairs = [(1, 0), (2, 0), (5, 0), (5, 2), (2, 5), (3, 2)]
        holds = [found.holds.mean() for arms in pairs if (found := design.difference(*arms))]

        assert holds == [1, pytest.approx(1, abs=0.03), 0, 0, 0, pytest.approx(1, abs=0.03)]

    def test_a_noisy_baseline_makes_none_stand_out(self) -> None:
        """It is in all comparisons alike, and in the error of each."""
        starts = [0.06] * 2 + [0.02] * 4
        design = design_of(1000, 12, [0] * 6, shared_start=False, baselines=2, starts=starts)

        holds = [found.holds for arm in range(2, 6) if (found := design.difference(arm, 0, 1))]

        assert 1 - np.all(holds, axis=0).mean() <= CONTRADICTION

    def test_other_baselines_tell_nothing_of_its_own(self) -> None:
        """They may be surer, so the error of a noisy baseline is its own also where there are others."""
        starts = [0.06] * 2 + [0.02] * 10
        design = design_of(4000, 5, [0] * 12, shared_start=False, baselines=6, starts=starts)

        noisy, quiet = (design.difference(6, *own) for own in ((0, 1), (2, 3)))

        for found in (noisy, quiet):
            assert found is not None
            assert (found.pooled_error**2).mean() == pytest.approx(found.centre.var(), rel=0.06)

    def test_a_lost_round_is_missed_in_no_other_comparison(self) -> None:
        """Six launches of which two lost a round each leave four with three rounds: (4 - 1) x 2 degrees."""
        launches = [name for name in "abcdef" for _ in range(3)]
        logs = np.random.default_rng(0).normal(size=(1, 3, 18))
        logs[:, 0, 12:15] = logs[:, 1, 15:] = np.nan
        design = Design(logs, launches, range(0, 18, 3))

        whole, lost = design.difference(1, 3), design.difference(13, 3)

        assert whole is not None
        assert lost is not None
        assert (whole.rounds, whole.pool, whole.freedom[0]) == ((0, 1, 2), tuple(range(12)), 6)
        assert (lost.rounds, lost.pool, lost.freedom[0]) == ((1, 2), tuple(range(15)), 4)

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
        """One with ten times the spread of the others is noticed in whatever is compared with it."""
        launches = [name for name in "abcdef" for _ in range(3)]
        starts = [0.02] * 15 + [0.2] * 3
        noisy = design_of(200, 12, [0] * 18, shared_start=False, launches=launches, starts=starts)
        design = Design(noisy.logs, launches, range(0, 18, 3))

        pairs = [(1, 3), (16, 3), (1, 15), (1, 16)]
        holds = [found.holds.mean() for arms in pairs if (found := design.difference(*arms))]

        assert holds == [1, 0, 0, 0]

    def test_a_variant_that_stands_out_of_two_launches(self) -> None:
        """Without its launch nothing is left of two, so the other arms of both tell it."""
        launches, starts = [name for name in "ab" for _ in range(4)], [0.02] * 7 + [0.2]
        noisy = design_of(200, 12, [0] * 8, shared_start=False, launches=launches, starts=starts)
        design = Design(noisy.logs, launches, [0, 4])

        holds = [found.holds.mean() for arm in (6, 7) if (found := design.difference(arm, 0))]

        assert holds == [pytest.approx(1, abs=0.03), 0]

    def test_references_of_one_launch(self) -> None:
        """Two that share a start are not known twice as well, so they count as one."""
        launches = [name for name in "abc" for _ in range(4)]
        logs = design_of(4000, 3, [0] * 12, shared_start=False, launches=launches).logs
        design = Design(logs, launches, [0, 1, 4, 5, 8, 9])

        both, one = design.difference(6, 0, 1), design.difference(6, 0)

        assert both is not None
        assert one is not None
        assert both.pool == tuple(range(12))
        assert both.pooled_error.tolist() == one.pooled_error.tolist()
        assert (both.pooled_error**2).mean() == pytest.approx(both.centre.var(), rel=0.08)

    def test_a_start_that_is_half_shared(self) -> None:
        """With one of its references in its own launch a difference scatters as no other does."""
        logs = np.random.default_rng(0).normal(size=(1, 4, 6))

        found = Design(logs, list("aabbcc"), [0, 2, 4]).difference(1, 0, 2)

        assert found is not None
        assert found.pool == ()
