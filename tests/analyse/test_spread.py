import numpy as np
import pytest

from sweetspot.analyse.spread import spread

Kinds = tuple[np.ndarray, np.ndarray]


def kinds(studies: int, rounds: int, variants: int, baselines: int, *noise: float, seed: int = 0) -> Kinds:
    """Return the log speeds of variants and of baselines, with a spread of *noise* each."""
    of_variants, of_baselines = noise or (1.0, 1.0)
    rng = np.random.default_rng(seed)
    return (
        rng.normal(0, of_variants, (studies, rounds, variants)),
        rng.normal(0, of_baselines, (studies, rounds, baselines)),
    )


class TestSpread:
    """Tests of `spread`."""

    def test_one_of_each_by_hand(self) -> None:
        """Differences of 1, 1 and 4 in three rounds have the variance 3, and 2 degrees of freedom."""
        found = spread(np.array([[[1.0], [2.0], [5.0]]]), np.array([[[0.0], [1.0], [1.0]]])).of_both(1)

        assert found is not None
        assert (found.variance.tolist(), found.freedom.tolist()) == ([pytest.approx(3)], [2])

    def test_of_a_kind_by_hand(self) -> None:
        """Two that differ by 0, 2 and 4 do with the variance 4; less the mean of two it is 3/4 of that."""
        logs, nothing = np.array([[[0.0, 0.0], [5.0, 3.0], [9.0, 5.0]]]), np.empty((1, 3, 0))

        variants, baselines = spread(logs, nothing).of_variants(), spread(nothing, logs).of_baselines(2)

        assert variants is not None
        assert baselines is not None
        assert (variants.variance.tolist(), variants.freedom.tolist()) == ([pytest.approx(4)], [2])
        assert baselines.variance.tolist() == [pytest.approx(3)]

    def test_nothing_to_pool(self) -> None:
        """One arm has no spread of its kind, and without a baseline none is known of the two."""
        found = spread(np.zeros((1, 3, 1)), np.empty((1, 3, 0)))

        assert found.of_variants() is found.of_baselines(1) is found.of_both(1) is None

    def test_rounds_and_arms_cancel(self) -> None:
        """What slows a whole round, and what makes an arm fast, is no spread."""
        rng = np.random.default_rng(0)
        variants, baselines = kinds(1, 5, 4, 2)
        rounds = rng.normal(size=(1, 5, 1))

        found = spread(variants + rounds + rng.normal(size=(1, 1, 4)), baselines + rounds).of_both(2)

        expected = spread(variants, baselines).of_both(2)
        assert found is not None
        assert expected is not None
        assert found.variance == pytest.approx(expected.variance)

    @pytest.mark.parametrize(
        ("variants", "baselines", "measured"), [(4, 2, 2), (1, 2, 2), (5, 1, 1), (6, 4, 2)]
    )
    @pytest.mark.parametrize(("of_variants", "of_baselines"), [(1, 1), (1, 3), (3, 1)])
    def test_no_bias(
        self, variants: int, baselines: int, measured: int, of_variants: float, of_baselines: float
    ) -> None:
        """On average it is the variance of a variant less its baselines, whatever the two spreads are."""
        logs = kinds(20_000, 4, variants, baselines, of_variants, of_baselines)

        found = spread(*logs).of_both(measured)

        assert found is not None
        assert found.variance.mean() == pytest.approx(of_variants**2 + of_baselines**2 / measured, rel=0.02)

    def test_as_sure_as_one_spread_for_all(self) -> None:
        """Four variants with two baselines have all 5 x 11 degrees of 12 rounds, if these scatter alike."""
        found = spread(*kinds(4000, 12, 4, 2)).of_both(2)

        assert found is not None
        surest = 2 * found.variance.mean() ** 2 / found.variance.var()  # a chi-square has two a degree
        assert surest == pytest.approx(55, rel=0.06)
        assert found.freedom.max() <= 55
        assert np.median(found.freedom) > 50

    def test_a_noisy_baseline_has_few_degrees(self) -> None:
        """Where one baseline decides the error, no number of variants makes it better known."""
        found = spread(*kinds(100, 12, 8, 1, 0.1, 10)).of_both(1)

        assert found is not None
        assert found.freedom == pytest.approx(11, rel=0.02)

    def test_equal_speeds_have_a_spread(self) -> None:
        """Rounding of equal numbers is not perfect knowledge."""
        found = spread(np.full((1, 3, 2), 0.1), np.full((1, 3, 1), 0.3)).of_both(1)

        assert found is not None
        assert found.variance[0] > 0
        assert found.freedom[0] >= 2
