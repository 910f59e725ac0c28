"""Tests of `sweetspot.plan.probes`: how the probe of each NCCL variant starts, and when it does not."""

from typing import Any

from sweetspot.plan.launches import plan_study
from sweetspot.plan.probes import Probe, plan_probes
from tests.plan.conftest import MakeStudy

NCCL: dict[str, Any] = {
    "default": {"env": {}, "args": {}},
    "ring": {"env": {"NCCL_ALGO": "Ring"}, "args": {"disable-custom-all-reduce": True}},
}
TREE = {"num_steps": 3, "eagle_topk": 4, "num_draft_tokens": 8}


def probes(study: dict[str, Any], engine: str = "engine-cu12") -> dict[str, Probe]:
    """Return the probes of *study*."""
    plan = plan_study(study, engine, "0.5.16", None)
    return plan_probes(study, study["engines"][engine], plan)


class TestPlanProbes:
    """Tests of `plan_probes`."""

    def test_speculates_as_far_as_the_study(self, make_study: MakeStudy) -> None:
        """One start for each NCCL variant, at the largest step count, without weights."""
        found = probes(make_study(tp_size=2, nccl=NCCL, loads=[1, 8]))

        assert list(found) == ["default", "ring"]
        assert (
            found["ring"].args.items()
            >= {
                "disable-custom-all-reduce": True,
                "speculative-num-steps": 2,
                "speculative-num-draft-tokens": 3,
                "load-format": "dummy",
            }.items()
        )
        assert found["ring"].env == {"NCCL_ALGO": "Ring"}
        assert (found["ring"].draft_tokens, found["ring"].loads) == ((1, 2, 3), (1, 8))
        assert found["ring"].skip is None

    def test_of_a_tree(self, make_study: MakeStudy) -> None:
        """What the target verifies decides, not how deep the tree is."""
        speculation = {"num_steps": [1], "trees": [TREE], "algorithm": "EAGLE3"}

        found = probes(make_study(tp_size=2, speculation=speculation))

        assert found["default"].args["speculative-num-draft-tokens"] == 8

    def test_on_one_gpu_and_on_a_cpu(self, make_study: MakeStudy) -> None:
        """Where NCCL takes no part there is nothing to start."""
        assert probes(make_study())["default"].skip == (
            "one GPU: there is nothing to all-reduce, so NCCL takes no part"
        )
        for ranks in (1, 2):
            found = probes(make_study(tp_size=ranks), "engine-cpu")["default"]
            assert found.skip == "on a CPU: NCCL takes no part"
