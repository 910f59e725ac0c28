"""Tests of `sweetspot.plan.describe`."""

import pytest

from sweetspot.plan import describe, plan_study
from sweetspot.plan.stages import recheck
from tests.plan.conftest import MakeStudy


class TestDescribe:
    """Tests of `describe`."""

    def test_worked_example(self, make_study: MakeStudy) -> None:
        """A reader sees what starts, why, what was left out, and the cost."""
        speculation = {
            "algorithm": "EAGLE3",
            "num_steps": [2],
            "trees": [{"num_steps": 2, "eagle_topk": 1, "num_draft_tokens": 3}],
        }
        plan = plan_study(make_study(speculation=speculation, controls=[]), "engine-cu12", "0.5.23")

        lines = describe(plan, None).splitlines()

        head = "variant             steps  topk  draft tokens  baseline      launch            "
        own = "dedicated  the study asks for dedicated launches"
        assert lines == [
            "quickstart: 3 launches in each of 3 rounds, on engine-cu12 (SGLang 0.5.23)",
            "loads 1; 5 timed passes and 1 warm-up pass at each",
            "before them a short run at 3 steps, which stops the sweep if the draft is dead",
            "about 54 min, 0.9 GPU hours for the launches, 5 min, 0.08 GPU hours for what comes before them",
            "",
            f"{head}  kind       reason",
            f"none.default        -      -     -             -             none.default        {own}",
            f"none-again.default  -      -     -             none.default  none-again.default  {own}",
            f"s2.default          2      1     3             none.default  s2.default          {own}",
            "",
            "dropped  reason",
            "s2k1d3   same as s2",
        ]

    @pytest.mark.parametrize(("rounds", "time"), [(1, "102 s"), (3, "5 min"), (200, "5.7 h")])
    def test_time_in_the_unit_that_suits_it(self, make_study: MakeStudy, rounds: int, time: str) -> None:
        """Seconds for a trial, hours for a night."""
        speculation = {"algorithm": "EAGLE3", "num_steps": [2], "trees": []}
        generation = {"max_new_tokens": 58, "ignore_eos": True, "temperature": 0}
        study = make_study(speculation=speculation, generation=generation, controls=[], rounds=rounds)

        assert f"about {time}, 0 GPU hours" in describe(plan_study(study, "engine-cpu", "0.5.23"), None)

    def test_what_nccl_is_asked_and_its_cost(self, make_study: MakeStudy) -> None:
        """On two GPUs each NCCL variant costs a start and its all-reduces, the short run a start."""
        nccl = {"default": {"env": {}, "args": {}}, "ll": {"env": {"NCCL_PROTO": "LL"}, "args": {}}}
        study = make_study(nccl=nccl, tp_size=2)

        lines = describe(plan_study(study, "engine-cu12", "0.5.23"), None).splitlines()

        assert lines[2].endswith("is dead, and 2 probes of what NCCL chooses, each with bare all-reduces")
        assert lines[3].endswith("for the launches, 16 min, 0.53 GPU hours for what comes before them")

    def test_the_second_stage_and_its_cost(self, make_study: MakeStudy) -> None:
        """What a first verdict is followed by costs starts too."""
        study = make_study(launches="auto")
        plan = plan_study(study, "engine-cu12", "0.5.16")
        alone = plan_study(study | {"launches": "dedicated"}, "engine-cu12", "0.5.16")

        text = describe(plan, recheck(plan, alone, {"none.default", "s2.default"}, 2))

        assert "after the first verdict 3 launches in each of 2 rounds" in text
