"""Tests of `sweetspot.plan.stages`."""

from sweetspot.plan import plan_study
from sweetspot.plan.stages import can_recheck, recheck
from tests.plan.conftest import MakeStudy


def test_measures_the_same_variants_both_ways(make_study: MakeStudy) -> None:
    """The launch that switches can still switch to every step count, and measures those in doubt alone."""
    study = make_study(launches="auto")
    first = plan_study(study, "engine-cu12", "0.5.16")
    alone = plan_study(study | {"launches": "dedicated"}, "engine-cu12", "0.5.16")

    found = recheck(first, alone, {"none.default", "s2.default"}, 4)

    again, *dedicated = found.launches
    assert (again.id, again.variants) == ("oneload-again.default", ("none.default", "s2.default"))
    assert again.candidates == first.launches[0].candidates == (0, 1, 2)
    assert again.args == first.launches[0].args
    assert [launch.id for launch in dedicated] == ["none.default", "s2.default"]
    assert found.rounds == 4
    assert found.estimate.launches == 12


def test_a_baseline_that_had_its_own_server_is_the_same_launch(make_study: MakeStudy) -> None:
    """On a CPU it is not measured again: the launch is the first plan's."""
    study = make_study(launches="auto")
    first = plan_study(study, "engine-cpu", "0.5.23")
    alone = plan_study(study | {"launches": "dedicated"}, "engine-cpu", "0.5.23")

    found = recheck(first, alone, {"none.default", "s2.default"}, 2)

    assert next(launch for launch in first.launches if launch.id == "none.default").digest == next(
        launch.digest for launch in found.launches if launch.id == "none.default"
    )


def test_nothing_is_started_where_nothing_was_switched(make_study: MakeStudy) -> None:
    """Dedicated launches have nothing to prove."""
    alone = plan_study(make_study(), "engine-cu12", "0.5.10")

    found = recheck(alone, alone, {"none.default", "s2.default"}, 2)

    assert not can_recheck(alone)
    assert found.launches == ()
    assert found.estimate.launches == 0
