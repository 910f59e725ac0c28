"""Tests of `sweetspot.render.timer`."""

from typing import Any

from sweetspot.render.timer import timer_costs
from tests.render.conftest import CHAIN, DEFAULT

Row = dict[str, Any]
TWIN: Row = {**CHAIN, **DEFAULT, "variant": "s2.default"}
CONTROL: Row = TWIN | {
    **{"variant": "s2-untimed.default", "baseline": "s2.default", "control": True, "untimed": True},
    **{"speedup": 1.0004, "speedup_low": 0.9991, "speedup_high": 1.0017},
}
ABOUT = "the timer's cost for s2.default at load 1"


class TestTimerCosts:
    """Tests of `timer_costs`."""

    def test_by_hand(self) -> None:
        """0.04 % faster without it is a mean cycle 0.04 % longer with it; the upper end is the most."""
        assert timer_costs([TWIN, CONTROL]) == [
            f"{ABOUT}: +0.04 % [−0.09, +0.17] of its mean cycle, so at most +0.17 %, by s2-untimed.default, "
            "the same in the same servers with the timer off between passes with it on"
        ]

    def test_no_control_no_line(self) -> None:
        """Of a study that does not ask for it nothing is said."""
        assert timer_costs([TWIN, TWIN | {"load": 4}]) == []

    def test_one_round(self) -> None:
        """Without an interval nothing is bounded."""
        (line,) = timer_costs([TWIN, CONTROL | {"speedup_low": None, "speedup_high": None}])

        assert line.startswith(f"{ABOUT}: +0.04 % [–] of its mean cycle, by s2-untimed.default")

    def test_never_measured(self) -> None:
        """It has a line all the same."""
        assert timer_costs([TWIN, CONTROL | {"speedup": None}]) == [f"{ABOUT}: not measured"]

    def test_another_acceptance(self) -> None:
        """Then the ratio of speeds is not that of cycles, and the line says so."""
        (line,) = timer_costs([TWIN, CONTROL | {"accept_length": 2.2}])

        assert line.endswith("; its accept_length is another one, which is in this number")
