from typing import Any

import pytest

from sweetspot.analyse.faults import faults

ROW: dict[str, Any] = {
    "num_steps": 2,
    "accept_length": 2.0,
    "accept_length_from_histogram": 2.01,
    "accept_lengths_agree": True,
    "acceptance_by_position": [0.7, 0.3],
    "identity_residual": 0.004,
    "exact": "exact",
    "diverged_share": 0.0,
    "noise_floor_share": 0.0,
    "first_divergence": None,
    "inexact_reason": None,
}


class TestFaults:
    """Tests of `faults`."""

    @pytest.mark.parametrize(
        "changes",
        [
            {},
            {"identity_residual": -0.03},
            {"identity_residual": None},
            {"exact": "near-tie"},
            {"exact": "not claimed (temperature > 0)"},
            {"accept_length": 1.03},
            {"acceptance_by_position": None, "accept_lengths_agree": None},
            {"num_steps": 0, "accept_length": 1.0, "acceptance_by_position": None, "exact": "reference"},
        ],
    )
    def test_sound(self, changes: dict[str, Any]) -> None:
        """What is merely slow, near-tied or not known is no fault."""
        assert faults(ROW | changes) == []

    @pytest.mark.parametrize(
        ("changes", "reason"),
        [
            ({"identity_residual": -0.034}, "tokens/s x cycle time is -3.4 % off accept_length 2.000"),
            ({"identity_residual": 0.034}, "tokens/s x cycle time is +3.4 % off accept_length 2.000"),
            (
                {"num_steps": 0, "accept_length": 1.0, "identity_residual": 1.0},
                "+100.0 % off accept_length 1.000",
            ),
            ({"accept_length": 1.02}, "dead draft: accept_length 1.020, expected above 1.02"),
            ({"accept_length": None}, "counted no cycles of speculation, expected some; was it on"),
            ({"accept_length": 3.1}, "accept_length 3.100 with 2 draft positions, expected at most 3 and 2"),
            ({"acceptance_by_position": [0.5, 0.3, 0.2]}, "with 3 draft positions, expected at most 3 and 2"),
            ({"accept_lengths_agree": False}, "2.000 by cycles and 2.010 by accepted drafts"),
        ],
    )
    def test_each_fault(self, changes: dict[str, Any], reason: str) -> None:
        """Each contradiction is one reason, with its numbers."""
        (found,) = faults(ROW | changes)

        assert reason in found

    def test_inexact(self) -> None:
        """Tokens that differ are told beside how often the baseline differs from itself."""
        inexact = {"exact": "inexact", "diverged_share": 0.25, "first_divergence": 17}

        (found,) = faults(ROW | inexact | {"inexact_reason": "not among the baseline's best 4"})

        assert found == (
            "tokens differ from the baseline's in 25.0 % of requests, the baseline from itself in 0.0 %, "
            "first at token 17: not among the baseline's best 4"
        )

    def test_all_are_told(self) -> None:
        """A row can have several faults."""
        assert len(faults(ROW | {"accept_length": 1.0, "identity_residual": 1.0, "exact": "inexact"})) == 3
