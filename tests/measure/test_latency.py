import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweetspot.measure.latency import histogram, percentiles, percentiles_of_histogram


class TestPercentiles:
    """Tests of `percentiles`."""

    def test_counted_by_hand(self) -> None:
        """Of 1 to 100 ms, half do not exceed 50, and 99 of them not 99."""
        found = percentiles("ttft", np.arange(1, 101) / 1000)

        assert found == {"ttft_p50_s": 0.050, "ttft_p95_s": 0.095, "ttft_p99_s": 0.099}

    def test_one_value(self) -> None:
        """A single value is all percentiles."""
        assert set(percentiles("itl", np.array([0.005])).values()) == {0.005}

    def test_nothing(self) -> None:
        """No values have no percentiles."""
        assert percentiles("itl", np.array([])) == {"itl_p50_s": None, "itl_p95_s": None, "itl_p99_s": None}


class TestHistogram:
    """Tests of `histogram` and `percentiles_of_histogram`."""

    @given(
        st.lists(
            st.lists(st.tuples(st.integers(1, 10**8), st.integers(1, 6)), min_size=1), min_size=1, max_size=4
        )
    )
    def test_within_half_a_percent(self, passes: list[list[tuple[int, int]]]) -> None:
        """Percentiles of added histograms are those of all values together, to the width of a bin."""
        parts = [
            histogram(np.array([us for us, _ in values], float), np.array([n for _, n in values]))
            for values in passes
        ]
        everything = np.array([pair for values in passes for pair in values])

        found = percentiles_of_histogram(
            "itl",
            np.concatenate([bins for bins, _ in parts]),
            np.concatenate([counts for _, counts in parts]),
        )

        exact = percentiles("itl", np.repeat(everything[:, 0] / 1e6, everything[:, 1]))
        assert found == pytest.approx(exact, rel=0.00501)

    def test_chunks_in_one_read(self) -> None:
        """An interval of nothing counts in the lowest bin."""
        assert histogram(np.array([0.0, 1.0, 1.02])) == ([0, 1], [2, 1])

    def test_nothing(self) -> None:
        """Passes without an interval have no percentiles."""
        empty = np.array([], dtype=np.int64)

        found = percentiles_of_histogram("itl", empty, empty)

        assert found == {"itl_p50_s": None, "itl_p95_s": None, "itl_p99_s": None}
