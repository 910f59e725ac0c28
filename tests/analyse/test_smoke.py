"""Tests of `sweetspot.analyse.smoke`: which drafts stop a sweep."""

import re
from typing import Any

import pytest

from sweetspot.analyse.smoke import judge_smoke
from sweetspot.errors import ModelError
from tests.conftest import MakePass, MakePlan, MakeRecord

TOKENS = {f"p{prompt}": list(range(51)) for prompt in range(2)}


@pytest.fixture
def smoke(make_plan: MakePlan, make_pass: MakePass, make_record: MakeRecord) -> Any:  # noqa: ANN401
    """Return a function that returns the record of a short run that accepted these drafts in turn."""

    def record(*accepted: int, constructed: object = None, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
        plan = make_plan(3)
        made = make_record(plan, "s3.default", [make_pass(accepted, outputs=TOKENS)], **changes)
        return made | {"models": {"constructed": constructed}, "identity": {"steps": {"smoke": 3}}}

    return record


def test_a_live_draft(smoke: Any) -> None:  # noqa: ANN401
    """One draft in each cycle: 25 cycles for the 50 tokens after the first, twice."""
    assert judge_smoke(smoke(1), None) == {"accept_length": 2.0, "cycles": 50, "num_steps": 3}
    assert judge_smoke(smoke(1), [1.9, 2.1])["accept_length"] == 2.0


@pytest.mark.parametrize("accepted", [(0,), (0,) * 49 + (1,)])
def test_a_dead_draft(smoke: Any, accepted: tuple[int, ...]) -> None:  # noqa: ANN401
    """Exactly 1, or one draft in fifty cycles, whatever band is given."""
    with pytest.raises(ModelError, match=r"accept_length 1\.0\d, expected above 1\.02, .* of other layers"):
        judge_smoke(smoke(*accepted), [1, 4])


@pytest.mark.parametrize(
    ("band", "line"),
    [
        ([2.2, 3], "accept_length 2.00, expected 2.2 to 3 by smoke.accept_length; most likely it is handed"),
        (
            [1.2, 1.9],
            "accept_length 2.00, expected 1.2 to 1.9 by smoke.accept_length; most likely the answers",
        ),
    ],
)
def test_outside_the_golden_curve(smoke: Any, band: list[float], line: str) -> None:  # noqa: ANN401
    """Too low and too high have different causes."""
    with pytest.raises(ModelError, match=re.escape(line)):
        judge_smoke(smoke(1), band)


def test_a_constructed_pair_has_other_causes(smoke: Any) -> None:  # noqa: ANN401
    """Nobody trained it: its acceptance is a dial."""
    with pytest.raises(ModelError, match=r"expected above 1\.02, .*; its acceptance is a dial"):
        judge_smoke(smoke(0, constructed={"shape": "tiny"}), None)
