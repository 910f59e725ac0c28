import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweetspot.analyse.statistics import Estimate, estimate

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

    def test_rounds_that_have_nothing_in_common(self) -> None:
        """An interval that no float holds is cut where it says nothing any more."""
        found = estimate([1e-6, 1e6], 1 - 1e-6)

        assert (found.centre, found.low, found.high) == pytest.approx((1, 1e-6, 1e6))

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
