"""Tests of `sweetspot.plan.smoke`."""

import pytest

from sweetspot.plan import entry, plan_study
from sweetspot.plan.smoke import smoke_plan
from tests.plan.conftest import MakeStudy

FLAG = {"disable-custom-all-reduce": True}
PLAIN, BY_NCCL, LL = (
    {"env": {}, "args": {}},
    {"env": {}, "args": FLAG},
    {"env": {"NCCL_PROTO": "LL"}, "args": FLAG},
)


@pytest.mark.parametrize(
    ("nccl", "expected"),
    [
        ({"custom": PLAIN, "default": BY_NCCL}, "default"),
        ({"ll": LL, "by-nccl": BY_NCCL}, "by-nccl"),
    ],
)
def test_runs_under_what_the_others_are_held_against(
    make_study: MakeStudy, nccl: dict[str, object], expected: str
) -> None:
    """A variant that does not work fails its own launches, not the study. Without a default: the plainest."""
    study = make_study(nccl=nccl, tp_size=2)

    found = smoke_plan(
        plan_study(study, "engine-cu12", "0.5.23"), study, entry(study, "engine-cu12", "study")
    )

    assert [variant.nccl for variant in found.variants] == [expected]
    assert found.launches[0].args["disable-custom-all-reduce"] is True
