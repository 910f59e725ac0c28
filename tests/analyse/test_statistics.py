import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweetspot.analyse.statistics import Estimate, estimate, paired_ratio

speeds = st.floats(0.1, 1e5)


class TestEstimate:
    """Tests of `estimate`."""

    def test_by_hand(self) -> None:
        """Two rounds at e and e^3: mean log 2, its standard error 1, Student's t at one degree 12.706."""
        found = estimate([math.e, math.e**3])

        assert found.centre == pytest.approx(math.exp(2))
        assert (found.low, found.high) == pytest.approx((math.exp(2 - 12.706205), math.exp(2 + 12.706205)))

    def test_one_round(self) -> None:
        """A single launch says nothing of the spread between launches."""
        assert estimate([250.0]) == Estimate(pytest.approx(250.0), None, None)

    def test_no_spread(self) -> None:
        """Equal rounds leave no doubt."""
        assert estimate([2.0, 2.0, 2.0]) == Estimate(*[pytest.approx(2.0)] * 3)

    @given(st.lists(speeds, min_size=2, max_size=10), st.floats(0.5, 2))
    def test_scale(self, values: list[float], factor: float) -> None:
        """Another unit changes the numbers and not what they say; the centre lies in its interval."""
        found, scaled = estimate(values), estimate([value * factor for value in values])

        assert found.low is not None
        assert found.high is not None
        assert found.low * (1 - 1e-9) <= found.centre <= found.high * (1 + 1e-9)
        assert [scaled.centre, scaled.low, scaled.high] == pytest.approx(
            [number * factor for number in (found.centre, found.low, found.high)]
        )

    def test_holds_what_it_promises(self) -> None:
        """Of 2000 studies of 5 rounds without a difference, the interval calls 5 % one, give or take 1.5."""
        rng = np.random.default_rng(0)

        found = [estimate(np.exp(rng.normal(0, 0.02, 5)).tolist()) for _ in range(2000)]

        wrong = sum(not (e.low < 1 < e.high) for e in found if e.low is not None and e.high is not None)
        assert wrong / 2000 == pytest.approx(0.05, abs=0.015)


class TestPairedRatio:
    """Tests of `paired_ratio`."""

    def test_pairs_within_rounds(self) -> None:
        """A host that slows down by half between rounds slows both: the ratio stays 1.5 without a doubt."""
        found = paired_ratio({0: 150.0, 1: 75.0}, {0: 100.0, 1: 50.0})

        assert found == Estimate(*[pytest.approx(1.5)] * 3)

    def test_only_common_rounds(self) -> None:
        """A round in which one of them failed is left out."""
        assert paired_ratio({0: 150.0, 1: 75.0}, {1: 50.0, 2: 80.0}) == Estimate(
            pytest.approx(1.5), None, None
        )
        assert paired_ratio({0: 150.0}, {1: 100.0}) is None

    @given(st.lists(st.tuples(speeds, speeds), min_size=1, max_size=8))
    def test_ratio_of_means(self, pairs: list[tuple[float, float]]) -> None:
        """Where all rounds are paired, the speedup is the quotient of the two speeds that a reader sees."""
        values, baseline = (dict(enumerate(side)) for side in zip(*pairs, strict=True))

        found = paired_ratio(values, baseline)

        assert found is not None
        quotient = estimate(list(values.values())).centre / estimate(list(baseline.values())).centre
        assert found.centre == pytest.approx(quotient)
