"""Tests of `sweetspot.analyse.resolution`."""

from collections.abc import Callable
from typing import Any

import pytest

from sweetspot.analyse.resolution import resolution

Row = dict[str, Any]
MakePlan = Callable[..., Row]


def share_a_start(plan: Row, *ids: str) -> None:
    """Let the variants *ids* of *plan* share a launch."""
    plan["launches"] = [launch for launch in plan["launches"] if launch["id"] not in ids]
    args = plan["launches"][0]["args"] if plan["launches"] else {}
    plan["launches"].append({"id": "oneload.default", "variants": list(ids), "args": dict(args)})


@pytest.mark.parametrize(("device", "share"), [("cpu", 0.10), ("cuda", 0.0)])
def test_two_servers_on_a_cpu_are_not_told_apart_finely(
    make_plan: MakePlan, device: str, share: float
) -> None:
    """On a GPU an interval is enough."""
    plan = make_plan(2)
    for launch in plan["launches"]:
        launch["args"]["device"] = device

    assert resolution(plan["variants"][1], plan) == share


def test_in_one_server_an_interval_is_enough(make_plan: MakePlan) -> None:
    """Only what is in another launch than its baseline is held against the resolution."""
    plan = make_plan(2, 3)
    for launch in plan["launches"]:
        launch["args"]["device"] = "cpu"
    share_a_start(plan, "none.default", "s2.default")

    assert [resolution(variant, plan) for variant in plan["variants"]] == [0.0, 0.0, 0.10]
