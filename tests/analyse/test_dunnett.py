import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtr, stdtrit

from sweetspot.analyse.dunnett import critical, exceeds

families = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 3)), min_size=1, max_size=3).map(tuple)
freedoms = st.integers(1, 60)


class TestExceeds:
    """Tests of `exceeds`."""

    @pytest.mark.parametrize(("comparisons", "freedom"), [(2, 2), (3, 8), (4, 44)])
    def test_against_integration(self, comparisons: int, freedom: int) -> None:
        """It is the multivariate t's own chance, which scipy integrates by random points."""
        from scipy.stats import multivariate_t  # which takes as long as all else to import

        shape = np.full((comparisons, comparisons), 0.5) + np.eye(comparisons) / 2
        inside = multivariate_t(shape=shape, df=freedom, seed=0).cdf([2.5] * comparisons, lower_limit=-2.5)

        assert exceeds(2.5, ((comparisons, 1),), freedom) == pytest.approx(1 - inside, abs=2e-4)

    @given(st.floats(0, 20), freedoms)
    def test_one_comparison(self, t: float, freedom: int) -> None:
        """A family of one is Student's t."""
        assert exceeds(t, ((1, 1),), freedom) == pytest.approx(2 * stdtr(freedom, -t), abs=1e-6)

    @given(st.floats(0, 20), families, freedoms)
    def test_bounds(self, t: float, family: tuple[tuple[int, int], ...], freedom: int) -> None:
        """It lies between the chance of one comparison and the sum of all."""
        one = 2 * stdtr(freedom, -t)

        found = exceeds(t, family, freedom)

        assert one - 1e-6 <= found <= min(1, one * sum(size for size, _ in family)) + 1e-6

    def test_a_shared_baseline_helps(self) -> None:
        """What shares its baseline's error is wrong together, so less often."""
        shared, measured_twice, apart = (exceeds(2.5, f, 20) for f in (((4, 1),), ((4, 2),), ((1, 1),) * 4))

        assert shared < measured_twice < apart


class TestCritical:
    """Tests of `critical`."""

    @pytest.mark.parametrize(
        ("comparisons", "freedom", "limit"),
        [(1, 10, 2.23), (3, 10, 2.76), (4, 20, 2.65), (9, 60, 2.77), (4, 100_000, 2.44)],
    )
    def test_dunnetts_table(self, comparisons: int, freedom: int, limit: float) -> None:
        """The limits are those that Dunnett printed for two-sided comparisons at 5 %."""
        assert critical(0.05, ((comparisons, 1),), freedom) == pytest.approx(limit, abs=0.006)

    @given(families, freedoms)
    def test_below_bonferroni(self, family: tuple[tuple[int, int], ...], freedom: int) -> None:
        """No family is held to more than the sum of its chances asks for."""
        bonferroni = stdtrit(freedom, 1 - 0.025 / sum(size for size, _ in family))

        limit = critical(0.05, family, freedom)

        assert limit <= bonferroni + 1e-4
        assert exceeds(limit, family, freedom) == pytest.approx(0.05, abs=1e-5)
