"""Tests of `sweetspot.plan.document`."""

import json

import pytest

from sweetspot.errors import StudyError
from sweetspot.plan import Plan, plan_study
from tests.plan.conftest import MakeStudy


class TestJson:
    """Tests of `Plan.to_json` and `Plan.from_json`."""

    def test_round_trip(self, make_study: MakeStudy) -> None:
        """A plan comes back as it was, lists of values and dropped cells included."""
        study = make_study(
            args_sets={"x": {"cuda-graph-bs": [1, 2], "y": 0.5, "z": True}, "same": {}},
        )
        plan = plan_study(study, "engine-cpu", "0.5.23")

        assert Plan.from_json(plan.to_json()) == plan
        assert plan.dropped

    def test_has_the_keys_that_others_read(self, make_study: MakeStudy) -> None:
        """The runner reads the file without this module."""
        raw = json.loads(plan_study(make_study(), "engine-cpu", "0.5.23").to_json())

        assert raw["launches"][0].keys() == {
            *("id", "kind", "reason", "variants", "candidates", "args", "env", "digest"),
        }
        assert raw["workload"].keys() == {
            *("loads", "repeats", "warmup_passes", "generation", "profile", "near_tie_nats", "limits"),
        }
        assert raw["estimate"].keys() == {"launches", "seconds", "gpu_hours"}

    @pytest.mark.parametrize(
        "text", ["", "[]", "{}", '{"workload": {"loads": []}, "variants": [{"name": "s2"}]}']
    )
    def test_refuses_another_format(self, text: str) -> None:
        """A plan of an older version is not guessed at."""
        with pytest.raises(
            StudyError,
            match=r"^plan.json: .*, expected a plan of this version; delete it, and snakemake plans again$",
        ):
            Plan.from_json(text)
