"""Tests of `sweetspot.plan.order`."""

import pytest

from sweetspot.plan import Plan, plan_study
from sweetspot.plan.order import order, priority
from tests.plan.conftest import MakeStudy


@pytest.fixture
def plan(make_study: MakeStudy) -> Plan:
    """Return a plan of eight launches in three rounds."""
    speculation = {"algorithm": "EAGLE3", "num_steps": [1, 2, 3, 4, 5, 6], "trees": []}
    return plan_study(make_study(speculation=speculation), "engine-cpu", "0.5.23")


class TestOrder:
    """Tests of `order`."""

    def test_each_launch_once(self, plan: Plan) -> None:
        """A round leaves nothing out and repeats nothing."""
        assert sorted(order(plan, 0)) == sorted(launch.id for launch in plan.launches)

    def test_another_one_each_round(self, plan: Plan) -> None:
        """A drift within a round does not hit the same launch each time."""
        assert len({order(plan, round_) for round_ in range(3)}) == 3

    def test_follows_from_the_seed(self, plan: Plan, make_study: MakeStudy) -> None:
        """The same study runs in the same order on any machine, another seed in another."""
        study = make_study(speculation={"algorithm": "EAGLE3", "num_steps": [1, 2, 3, 4, 5, 6], "trees": []})

        assert order(plan_study(study, "engine-cpu", "0.5.23"), 0) == order(plan, 0)
        assert order(plan_study(study | {"seed": 1}, "engine-cpu", "0.5.23"), 0) != order(plan, 0)

    def test_is_the_same_on_every_machine(self, plan: Plan) -> None:
        """A change here changes the order of studies that are half run."""
        assert order(plan, 0)[:3] == ("s5.default", "none-again.default", "s1.default")

    def test_a_new_launch_moves_no_other(self, plan: Plan, make_study: MakeStudy) -> None:
        """The launches of the smaller study keep their order in the larger."""
        smaller = plan_study(make_study(), "engine-cpu", "0.5.23")

        kept = tuple(launch for launch in order(plan, 1) if launch in order(smaller, 1))
        assert kept == order(smaller, 1)


class TestPriority:
    """Tests of `priority`."""

    def test_sorts_by_round_and_then_by_order(self, plan: Plan) -> None:
        """The highest first, all launches of a round before any of the next."""
        jobs = [(launch.id, round_) for launch in plan.launches for round_ in range(plan.rounds)]

        ran = sorted(jobs, key=lambda job: -priority(plan, *job))

        assert ran == [(launch, round_) for round_ in range(plan.rounds) for launch in order(plan, round_)]
        assert priority(plan, *ran[-1]) == 1
