"""Tests of `sweetspot.plan.document`."""

import json
from pathlib import Path

import pytest

from sweetspot.errors import RecordError
from sweetspot.plan import Plan, plan_study
from tests.plan.conftest import MakeStudy


class TestJson:
    """Tests of `Plan.to_json` and `Plan.read`."""

    def test_round_trip(self, make_study: MakeStudy, tmp_path: Path) -> None:
        """A plan comes back as it was, lists of values and dropped cells included."""
        study = make_study(
            args_sets={"x": {"cuda-graph-bs": [1, 2], "y": 0.5, "z": True}, "same": {}},
        )
        plan, file = plan_study(study, "engine-cpu", "0.5.23"), tmp_path / "plan.json"
        file.write_text(plan.to_json())

        assert Plan.read(file) == plan
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

    @pytest.mark.parametrize("old", [{"variants": [{"name": "s2"}]}, {"variants": None}, {"workload": {}}])
    def test_refuses_another_format(
        self, make_study: MakeStudy, tmp_path: Path, old: dict[str, object]
    ) -> None:
        """A plan of an older version is not guessed at."""
        plan, file = plan_study(make_study(), "engine-cpu", "0.5.23"), tmp_path / "plan.json"
        file.write_text(json.dumps(json.loads(plan.to_json()) | old))

        with pytest.raises(
            RecordError, match=rf"^{file}: [^\n]+, expected a plan of this version; delete it, and snakemake"
        ):
            Plan.read(file)

    @pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]", b"{}"])
    def test_a_damaged_file_is_named(self, tmp_path: Path, content: bytes) -> None:
        """What is no plan at all is one line too."""
        file = tmp_path / "recheck.json"
        file.write_bytes(content)

        with pytest.raises(RecordError, match=rf"^{file}: [^\n]+; delete it, and snakemake makes it again$"):
            Plan.read(file)
