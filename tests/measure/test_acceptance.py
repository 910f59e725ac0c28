import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweetspot.errors import MeasureError
from sweetspot.measure.acceptance import (
    Ints,
    accept_length,
    accept_length_from_histogram,
    acceptance_by_position,
    conditional_acceptance,
    cut_explains,
)

HISTOGRAM = np.array([4, 3, 2, 1])  # of ten cycles at 3 steps, one accepted all three drafts

histograms = st.lists(st.integers(0, 10**6), min_size=1, max_size=9).filter(any).map(np.array)


class TestAcceptLength:
    """Tests of `accept_length`, from both sources."""

    def test_counted_by_hand(self) -> None:
        """Ten cycles accepted 0*4 + 1*3 + 2*2 + 3*1 = 10 drafts, and gave 10 bonus tokens."""
        assert accept_length(20, 10) == 2.0
        assert accept_length_from_histogram(HISTOGRAM) == 2.0

    def test_sums_not_means(self) -> None:
        """A request of 100 cycles weighs more than one of 10: 210 / 110, not the mean of 2 and 1."""
        assert accept_length(200 + 10, 100 + 10) == pytest.approx(1.909, abs=1e-3)

    @given(histograms)
    def test_bounds(self, histogram: Ints) -> None:
        """A cycle yields its bonus token at least, and all drafts besides at most."""
        assert 1 <= accept_length_from_histogram(histogram) <= histogram.size

    def test_no_cycle(self) -> None:
        """Nothing is divided by no cycles."""
        with pytest.raises(MeasureError, match="5 tokens in no cycle, expected one at least; see that"):
            accept_length(5, 0)
        with pytest.raises(MeasureError, match="in no cycle"):
            accept_length_from_histogram(np.array([0, 0]))


class TestCutExplains:
    """Tests of `cut_explains`."""

    @pytest.mark.parametrize(
        ("decode_tokens", "explained"), [(20, True), (18, True), (17, False), (21, False)]
    )
    def test_one_request(self, decode_tokens: int, explained: bool) -> None:
        """Of 10 cycles with 10 accepted drafts at 2 steps, the limit can take 2 of 20 tokens and add none."""
        found = cut_explains(np.array([decode_tokens]), np.array([10]), np.array([10]), num_steps=2)

        assert found is explained

    def test_each_request_alone(self) -> None:
        """One request with too many tokens does not make up for another with too few."""
        found = cut_explains(np.array([21, 17]), np.array([10, 10]), np.array([10, 10]), num_steps=2)

        assert not found


class TestByPosition:
    """Tests of `acceptance_by_position` and `conditional_acceptance`."""

    def test_counted_by_hand(self) -> None:
        """Six of ten cycles accepted the first draft, three of these the second, one of these the third."""
        assert acceptance_by_position(HISTOGRAM).tolist() == [0.6, 0.3, 0.1]
        assert conditional_acceptance(HISTOGRAM).tolist() == pytest.approx([6 / 10, 3 / 6, 1 / 3])

    def test_a_position_that_was_never_asked(self) -> None:
        """What happens after a draft that was never accepted is not known; its share of cycles is 0."""
        histogram = np.array([5, 5, 0, 0])

        assert acceptance_by_position(histogram).tolist() == [0.5, 0, 0]
        assert conditional_acceptance(histogram).tolist() == [0.5, 0]

    @given(histograms)
    def test_both_tell_of_the_same_tokens(self, histogram: Ints) -> None:
        """Shares never rise, add up to the drafts a cycle accepts, and are products of the conditionals."""
        shares = acceptance_by_position(histogram)
        conditional = conditional_acceptance(histogram)

        assert shares.tolist() == sorted(shares, reverse=True)
        assert accept_length_from_histogram(histogram) == pytest.approx(1 + shares.sum())
        assert conditional.cumprod() == pytest.approx(shares[: conditional.size])
        assert not shares[conditional.size :].any()

    def test_no_cycle(self) -> None:
        """A histogram without cycles has no shares."""
        with pytest.raises(MeasureError, match="a histogram without cycles"):
            acceptance_by_position(np.array([0, 0, 0]))
