"""Tests of `sweetspot.render.timer`."""

from typing import Any

import pytest

from sweetspot.render.timer import timer_costs
from tests.render.conftest import CHAIN, DEFAULT

Row = dict[str, Any]
TWIN: Row = {**CHAIN, **DEFAULT, "variant": "s2.default"}
CONTROL: Row = TWIN | {
    **{"variant": "s2-untimed.default", "baseline": "s2.default", "control": True, "untimed": True},
    **{"speedup": 1.0004, "speedup_low": 0.9991, "speedup_high": 1.0017},
}
ABOUT = "The timer's cost for s2.default at load 1"


class TestTimerCosts:
    """Tests of `timer_costs`."""

    def test_by_hand(self) -> None:
        """0.04 % faster without it is a mean cycle 0.04 % longer with it; the upper end is the most."""
        assert timer_costs([TWIN, CONTROL]) == [
            f"{ABOUT}: +0.04 % [−0.09, +0.17] of its mean cycle, so at most +0.17 %, which is below 0.5 %; "
            "by s2-untimed.default, the same in the same servers with the timer off between passes with it on"
        ]

    @pytest.mark.parametrize(("high", "told"), [(1.0049, "below"), (1.00497, "not below")])
    def test_whether_it_is_small(self, high: float, told: str) -> None:
        """Half a percent of a cycle is the bar, and the upper end as written has to be below it."""
        (line,) = timer_costs([TWIN, CONTROL | {"speedup_high": high}])

        assert f" %, which is {told} 0.5 %; by" in line

    def test_no_control_no_line(self) -> None:
        """Of a study that does not ask for it nothing is said."""
        assert timer_costs([TWIN, TWIN | {"load": 4}]) == []

    def test_one_round(self) -> None:
        """Without an interval nothing is bounded."""
        (line,) = timer_costs([TWIN, CONTROL | {"speedup_low": None, "speedup_high": None}])

        assert line.startswith(f"{ABOUT}: +0.04 % [–] of its mean cycle, one round bounds nothing; by ")

    def test_never_measured(self) -> None:
        """It has a line all the same."""
        assert timer_costs([TWIN, CONTROL | {"speedup": None}]) == [f"{ABOUT}: not measured"]

    def test_another_acceptance(self) -> None:
        """Then the ratio of speeds is not that of cycles, and the line says so."""
        (line,) = timer_costs([TWIN, CONTROL | {"accept_length": 2.2}])

        assert line.endswith("; its accept_length is another one, which is in this number")
