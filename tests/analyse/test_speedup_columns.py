import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweetspot.analyse.speedup_columns import references, speedup_columns
from tests.analyse.made_up import row_of

Row = dict[str, Any]
speeds = st.floats(0.1, 1e5)


class TestSpeedupColumns:
    """Tests of `speedup_columns`."""

    def test_by_hand(self) -> None:
        """Two rounds at e and e^3 times the baseline: mean log 2, standard error 1, Student's t 12.706."""
        rows = [row_of("none.default", [1, 1]), row_of("s2.default", [math.e, math.e**3])]

        baseline, row = speedup_columns(rows)

        assert (baseline["speedup"], baseline["speedup_low"]) == (1, None)
        assert row["speedup"] == pytest.approx(math.exp(2))
        assert row["speedup_low"] == pytest.approx(math.exp(2 - 12.706205))
        assert row["speedup_high"] == pytest.approx(math.exp(2 + 12.706205))
        assert row["p_value_adjusted"] == pytest.approx(0.2952, abs=1e-4)

    def test_a_round_that_went_wrong(self) -> None:
        """One of two rounds thirty times too fast: of 40 comparisons by themselves no interval overflows."""
        baselines = [row_of(f"none.v{i}", [100, 100]) for i in range(40)]
        rows = [*baselines, *(row_of(f"s2.v{i}", [100, 3000]) for i in range(40))]

        found = speedup_columns(rows)[-1]

        assert found["speedup_low"] < 1e-3
        assert 1e3 < found["speedup_high"] < 1e9

    def test_pairs_within_rounds(self) -> None:
        """A host that slows down by half between rounds slows both: the ratio stays 1.5 without a doubt."""
        rows = [row_of("none.default", [100, 50]), row_of("s2.default", [150, 75])]

        row = speedup_columns(rows)[1]

        assert [row[f"speedup{end}"] for end in ("", "_low", "_high")] == pytest.approx([1.5] * 3)

    def test_equal_speeds_are_no_finding(self) -> None:
        """Rounding in the last digit of equal numbers is not a difference."""
        rows = [row_of("none.default", [0.1 + 0.2] * 3), row_of("s2.default", [0.3] * 3)]

        row = speedup_columns(rows)[1]

        assert row["speedup_low"] < 1 < row["speedup_high"]

    def test_one_common_round(self) -> None:
        """A ratio of one round has no interval; without a common round there is no ratio."""
        rows = [
            row_of("none.default", [100, None]),
            row_of("s2.default", [150, 90]),
            row_of("s3.default", [None, 90]),
            row_of("s5.default", None),
        ]

        columns = speedup_columns(rows)

        assert (columns[1]["speedup"], columns[1]["speedup_low"]) == (pytest.approx(1.5), None)
        assert columns[2]["speedup"] is columns[3]["speedup"] is columns[1]["p_value_adjusted"] is None

    @given(st.lists(st.tuples(speeds, speeds), min_size=1, max_size=8))
    def test_ratio_of_means(self, pairs: list[tuple[float, float]]) -> None:
        """Where all rounds are paired, the speedup is the quotient of the two speeds that a reader sees."""
        values, baseline = (list(side) for side in zip(*pairs, strict=True))
        rows = [row_of("none.default", baseline), row_of("s2.default", values)]

        row = speedup_columns(rows)[1]

        assert row["speedup"] == pytest.approx(
            rows[1]["decode_tokens_per_s"] / rows[0]["decode_tokens_per_s"]
        )


class TestReferences:
    """Tests of `references`."""

    def test_controls(self) -> None:
        """A control stands beside its baseline for all others, and is compared with that alone."""
        names = ["none.a", "none-again.a", "s2.a", "none.b", "s2.b"]

        found = references([row_of(name, [1, 1]) for name in names])

        assert found == {1: (0,), 2: (0, 1), 4: (3,)}

    def test_controls_of_the_timer(self) -> None:
        """Each is compared with its twin, and stands beside no baseline: without the timer it is another."""
        names = ["none.a", "none-again.a", "s2.a", "none-untimed.a", "s2-untimed.a"]
        twins = {"none-untimed.a": "none.a", "s2-untimed.a": "s2.a"}
        rows = [row_of(name, [1, 1]) for name in names]
        for row in rows[3:]:
            row |= {"control": True, "untimed": True, "baseline": twins[row["variant"]]}

        assert references(rows) == {1: (0,), 2: (0, 1), 3: (0,), 4: (2,)}

    def test_a_control_that_lacks_a_round(self) -> None:
        """It would cost the others that round, so it is left out."""
        rows = [row_of("none.a", [1, 1]), row_of("none-again.a", [1, None]), row_of("s2.a", [1, 1])]

        assert references(rows) == {1: (0,), 2: (0,)}
