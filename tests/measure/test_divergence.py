import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweetspot.errors import MeasureError
from sweetspot.measure.divergence import Divergence, Reference, diverge, unpack_reference
from sweetspot.run.record import pack

EXPECTED = np.array([5, 6, 7, 8])
# What the baseline weighed after each of its tokens: its own, and 50 + the index 0.2 nats below.
REFERENCE = Reference(
    EXPECTED,
    np.array([[5, 50], [6, 51], [7, 52], [8, 53]]),
    np.array([[-0.5, -0.7]] * 4),
)


class TestDiverge:
    """Tests of `diverge`."""

    def test_equal(self) -> None:
        """Equal outputs do not diverge."""
        assert diverge(EXPECTED.copy(), EXPECTED, [REFERENCE], 0.3) is None

    @pytest.mark.parametrize(("near_tie_nats", "near_tie"), [(0.3, True), (0.1, False), (0.0, False)])
    def test_the_second_best(self, near_tie_nats: float, near_tie: bool) -> None:
        """A token 0.2 nats below the best is a near-tie where 0.3 are allowed."""
        found = diverge(np.array([5, 6, 52, 9]), EXPECTED, [REFERENCE], near_tie_nats)

        assert found is not None
        assert (found.first_divergence, found.near_tie) == (2, near_tie)
        assert found.gap_nats == pytest.approx(0.2)
        assert found.reason == f"0.2000 nats below the baseline's best, allowed {near_tie_nats}"

    def test_a_gap_as_large_as_allowed(self) -> None:
        """It is a near-tie still."""
        half = Reference(EXPECTED, REFERENCE.top_ids, np.array([[-0.5, -0.75]] * 4))

        found = diverge(np.array([5, 6, 52, 9]), EXPECTED, [half], 0.25)

        assert found is not None
        assert (found.gap_nats, found.near_tie) == (0.25, True)

    def test_strict(self) -> None:
        """With 0 nats allowed, a token as likely as the best is a difference all the same."""
        tied = Reference(EXPECTED, REFERENCE.top_ids, np.full((4, 2), -0.5))

        found = diverge(np.array([5, 6, 52]), EXPECTED, [tied], 0.0)

        assert found is not None
        assert (found.gap_nats, found.near_tie) == (0.0, False)

    def test_not_among_the_best(self) -> None:
        """A token that the baseline never weighed has no gap."""
        found = diverge(np.array([5, 6, 99, 8]), EXPECTED, [REFERENCE], 0.3)

        assert found == Divergence(2, None, False, "not among the baseline's best 2")

    def test_no_reference_with_the_same_prefix(self) -> None:
        """What the baseline weighed after other tokens says nothing."""
        elsewhere = Reference(np.array([5, 60, 7, 8]), REFERENCE.top_ids, REFERENCE.top_nats)

        found = diverge(np.array([5, 6, 52, 8]), EXPECTED, [elsewhere], 0.3)

        assert found == Divergence(2, None, False, "no reference pass has the same tokens before it")

    def test_another_reference_knows(self) -> None:
        """Of several reference passes one with the same tokens before is enough, and the closest counts."""
        elsewhere = Reference(np.array([5, 60, 7, 8]), REFERENCE.top_ids, REFERENCE.top_nats)

        further = Reference(EXPECTED, REFERENCE.top_ids, np.array([[-0.1, -3.0]] * 4))

        found = diverge(np.array([5, 6, 52, 8]), EXPECTED, [elsewhere, REFERENCE, further], 0.3)

        assert found is not None
        assert (found.gap_nats, found.near_tie) == (pytest.approx(0.2), True)

    def test_ends_early(self) -> None:
        """An output that is the beginning of the baseline's differs where it ends."""
        found = diverge(np.array([5, 6]), EXPECTED, [REFERENCE], 0.3)

        assert found == Divergence(2, None, False, "ends before the baseline does")

    def test_goes_on(self) -> None:
        """An output that goes on after the baseline's end differs there."""
        found = diverge(np.append(EXPECTED, 9), EXPECTED, [REFERENCE], 0.3)

        assert found == Divergence(4, None, False, "no reference pass has the same tokens before it")

    @given(st.lists(st.integers(0, 2), max_size=6), st.lists(st.integers(0, 2), max_size=6))
    def test_first_means_first(self, output: list[int], expected: list[int]) -> None:
        """Before a divergence all tokens are equal, at it they are not, either way round."""
        found = diverge(np.array(output, int), np.array(expected, int), [], 0.0)
        other_way = diverge(np.array(expected, int), np.array(output, int), [], 0.0)

        if found is None:
            assert output == expected
            assert other_way is None
        else:
            at = found.first_divergence
            assert other_way is not None
            assert other_way.first_divergence == at
            assert output[:at] == expected[:at]
            assert output[at : at + 1] != expected[at : at + 1]


class TestUnpackReference:
    """Tests of `unpack_reference`."""

    def test_shapes_and_units(self) -> None:
        """Candidates stand in a row a token; log probabilities are in 1e-4 nats."""
        entry = {
            "prompt": "p0",
            "output": "d",
            "top_k": 2,
            "top_ids": pack([5, 50, 6, 51]),
            "top_logprobs_e4": pack([-5000, -7000, -1, -90_000]),
        }

        reference = unpack_reference(entry, {"d": pack([5, 6])}, "none.default")

        assert reference.output.tolist() == [5, 6]
        assert reference.top_ids.tolist() == [[5, 50], [6, 51]]
        assert reference.top_nats.tolist() == [[-0.5, -0.7], [-0.0001, -9.0]]

    def test_a_candidate_short(self) -> None:
        """Each token has all its candidates, or none can be told from another's."""
        entry = {
            "prompt": "p0",
            "output": "d",
            "top_k": 2,
            "top_ids": pack([5, 50, 6]),
            "top_logprobs_e4": pack([-1, -2, -3]),
        }

        with pytest.raises(MeasureError, match=r"^none.default, prompt p0: 3 candidates .*expected 2 x 2"):
            unpack_reference(entry, {"d": pack([5, 6])}, "none.default")
