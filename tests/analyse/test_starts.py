import numpy as np
import pytest

from sweetspot.analyse.starts import from_launch_to_launch, less
from tests.analyse.made_up import BETWEEN_STARTS, WITHIN_A_START, design_of

SHARED = ["a"] * 5 + ["b"] * 5 + ["c"] * 2


class TestFromLaunchToLaunch:
    """Tests of `from_launch_to_launch`."""

    def test_by_hand(self) -> None:
        """Launches that differ by 0, 2 and 4 have the variance 4 of a difference, 2 of each arm."""
        logs = np.array([[[0.0, 7.0, 0.0], [5.0, 12.0, 3.0], [9.0, 16.0, 5.0]]])

        found = from_launch_to_launch(logs, ["a", "a", "b"])

        assert found is not None
        assert (found.variance.tolist(), found.freedom.tolist()) == ([pytest.approx(2)], [2])

    def test_no_bias(self) -> None:
        """On average it is a start's own variance and that within a start, whoever shares which start."""
        design = design_of(4000, 3, [0.0] * len(SHARED), shared_start=False, launches=SHARED)

        found = from_launch_to_launch(design.logs, SHARED)

        assert found is not None
        within = WITHIN_A_START * 0.5355  # median of five
        assert found.variance.mean() == pytest.approx(BETWEEN_STARTS**2 + within**2, rel=0.03)

    @pytest.mark.parametrize("sizes", [(5, 5, 5, 5, 5, 5), (8, 1, 1, 1, 1, 1), (8, 8, 1, 1, 1, 1)])
    def test_as_sure_as_it_says(self, sizes: tuple[int, ...]) -> None:
        """The degrees are those of the launches, whatever each holds, and hardly too few."""
        launches = [name for name, size in zip("abcdef", sizes, strict=True) for _ in range(size)]
        design = design_of(8000, 3, [0.0] * len(launches), shared_start=False, launches=launches)

        found = from_launch_to_launch(design.logs, launches)

        assert found is not None
        surest = 2 * found.variance.mean() ** 2 / found.variance.var()  # a chi-square has two a degree
        assert set(found.freedom.tolist()) == {10.0}
        assert 9.7 < surest < 12.5

    def test_rounds_and_arms_cancel(self) -> None:
        """What slows a whole round, and what makes an arm fast, is no spread."""
        rng = np.random.default_rng(0)
        logs = rng.normal(size=(1, 4, len(SHARED)))

        found = from_launch_to_launch(
            logs + rng.normal(size=(1, 4, 1)) + rng.normal(size=len(SHARED)), SHARED
        )

        expected = from_launch_to_launch(logs, SHARED)
        assert found is not None
        assert expected is not None
        assert found.variance == pytest.approx(expected.variance)

    def test_one_launch_tells_nothing(self) -> None:
        """Nor do no arms at all."""
        assert from_launch_to_launch(np.zeros((1, 3, 2)), ["a", "a"]) is None
        assert from_launch_to_launch(np.zeros((1, 3, 0)), []) is None


def test_less() -> None:
    """Both variances count, that of a mean of two by half, with the fewer degrees."""
    rng = np.random.default_rng(0)
    one, other = (
        from_launch_to_launch(rng.normal(size=(2, 3, len(names))), names) for names in ("ab", "abc")
    )
    assert one is not None
    assert other is not None

    found = less(one, other, 2)

    assert found is not None
    assert found.variance == pytest.approx(one.variance + other.variance / 2)
    assert found.freedom.tolist() == [2, 2]
    assert less(one, None, 1) is less(None, one, 1) is None
