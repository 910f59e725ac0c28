"""Tests of `sweetspot.plan.estimate`, on plans."""

import pytest

from sweetspot.plan import plan_study
from tests.plan.conftest import MakeStudy


class TestEstimate:
    """Tests of a plan's estimate."""

    def test_worked_example_on_a_cpu(self, make_study: MakeStudy) -> None:
        """4 launches in 3 rounds, each 20 s and 6 passes of 8 prompts with 128 tokens at 200 tokens/s."""
        estimate = plan_study(make_study(), "engine-cpu", "0.5.23").estimate

        assert estimate.launches == 12
        assert estimate.seconds == round(12 * (20 + 6 * 8 * 128 / 200))
        assert estimate.gpu_hours == 0.0

    def test_worked_example_on_gpus(self, make_study: MakeStudy) -> None:
        """At load 8 the eight prompts run side by side, in an eighth of the time; two GPUs count twice."""
        estimate = plan_study(make_study(loads=[1, 8], tp_size=2), "engine-cu12", "0.5.23").estimate

        seconds = 12 * (300 + 6 * (8 + 1) * 128 / 100)
        assert estimate.seconds == round(seconds)
        assert estimate.gpu_hours == pytest.approx(seconds * 2 / 3600, abs=0.005)

    def test_the_stand_in_needs_no_gpu(self, make_study: MakeStudy) -> None:
        """Neither does a Python of one's own on a CPU."""
        assert plan_study(make_study(), "fake", "0.5.23").estimate.gpu_hours == 0.0

    def test_a_shared_start_is_paid_once(self, make_study: MakeStudy) -> None:
        """One start and four variants a round, 6 passes of 8 prompts with 128 tokens at 100 tokens/s each.

        A start takes half of limits.start_s.
        """
        estimate = plan_study(make_study(launches="auto"), "engine-cu12", "0.5.16").estimate

        assert estimate.launches == 3
        assert estimate.seconds == round(3 * (300 + 4 * 6 * 8 * 128 / 100))
