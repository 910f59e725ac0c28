"""Tests of `sweetspot.analyse.digits`."""

import pytest

from sweetspot.analyse.digits import rounded, with_interval


class TestWithInterval:
    """Tests of `with_interval`."""

    @pytest.mark.parametrize(
        ("numbers", "text"),
        [
            ((241.26, 239.9, 242.7), "241.3 [239.9, 242.7]"),  # half of 2.8: a leading 1 keeps a digit more
            ((200.4, 198.1, 203.9), "200 [198, 204]"),
            ((1.2039, 1.1912, 1.2178), "1.204 [1.191, 1.218]"),
            ((1.2, 1.17, 1.25), "1.20 [1.17, 1.25]"),
            ((1234.5, 1180.0, 1290.0), "1230 [1180, 1290]"),
            ((-0.0049, -0.5388, 0.529), "0.00 [-0.54, 0.53]"),  # nearly nothing has no digits more
            ((1.1, 0.83, 1.38), "1.1 [0.8, 1.4]"),
            ((2.0, 2.0, 2.0), "2.00 [2.00, 2.00]"),
            ((200.4, None, None), "200 [–]"),
            ((None, None, None), "–"),
        ],
    )
    def test_digits(self, numbers: tuple[float | None, ...], text: str) -> None:
        """A number has the digits that its interval supports, all three the same."""
        assert with_interval(*numbers) == text

    def test_an_end_that_is_not_one_is_not_written_as_one(self) -> None:
        """A speedup whose interval leaves 1 out shows it, at the price of a digit more."""
        assert with_interval(1.27, 1.03, 1.51) == "1.3 [1.0, 1.5]"
        assert with_interval(1.27, 1.03, 1.51, apart_from=1) == "1.27 [1.03, 1.51]"
        assert with_interval(1.27, 1.0, 1.51, apart_from=1) == "1.3 [1.0, 1.5]"


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0.00"), (0.04567, "0.0457"), (8.8, "8.80"), (1234.0, "1230"), (None, "–")]
)
def test_rounded(value: float | None, text: str) -> None:
    """Three significant digits, and no exponent."""
    assert rounded(value) == text
