"""Tests of `sweetspot.plan.launches`."""

import re

import pytest

from sweetspot.errors import StudyError
from sweetspot.plan.launches import plan_study
from tests.plan.conftest import MakeStudy

OWN = "the study asks for dedicated launches"


class TestPlanStudy:
    """Tests of `plan_study`."""

    def test_each_variant_has_its_launch(self, make_study: MakeStudy) -> None:
        """The launch carries its variant's id, and the baseline nothing speculative."""
        plan = plan_study(make_study(), "engine-cpu", "0.5.23")

        launches = {launch.id: launch for launch in plan.launches}
        shared = {
            "device": "cpu",
            "attention-backend": "intel_amx",
            "max-running-requests": 8,
            "tp-size": 1,
            "disable-radix-cache": True,
        }
        assert list(launches) == [variant.id for variant in plan.variants]
        assert all(launch.variants == (launch.id,) for launch in plan.launches)
        assert launches["none.default"].args == launches["none-again.default"].args == shared
        assert launches["s2.default"].args == shared | {
            "speculative-algorithm": "EAGLE3",
            "speculative-num-steps": 2,
            "speculative-eagle-topk": 1,
            "speculative-num-draft-tokens": 3,
        }
        assert launches["s2.default"].env == {"SGLANG_USE_CPU_ENGINE": "1"}

    def test_repeats_what_the_runner_needs(self, make_study: MakeStudy) -> None:
        """The plan is all of the study that a launch reads."""
        plan = plan_study(make_study(loads=[1, 8]), "engine-cu12", "0.5.12")

        assert (plan.study, plan.engine, plan.sglang, plan.seed, plan.rounds) == (
            *("quickstart", "engine-cu12", "0.5.12", 0, 3),
        )
        assert plan.prompts_sha256 == "a" * 64
        assert plan.workload.loads == (1, 8)
        assert (plan.workload.repeats, plan.workload.warmup_passes, plan.workload.near_tie_nats) == (
            5,
            1,
            0.0,
        )
        assert plan.workload.generation == {"max_new_tokens": 128, "ignore_eos": True, "temperature": 0}
        assert plan.workload.limits == {"start_s": 600, "stall_s": 120}

    def test_says_what_sglang_changes(self, make_study: MakeStudy) -> None:
        """A comparison that mixes in the overlap schedule says so at the launch."""
        plan = plan_study(make_study(), "engine-cu12", "0.5.10.post1")

        reasons = {launch.id: launch.reason for launch in plan.launches}
        assert reasons["none.default"] == OWN
        assert (
            reasons["s1.default"]
            == f"{OWN}; SGLang turns the overlap schedule off for it and not for its baseline"
        )

    def test_refuses_what_sglang_refuses(self, make_study: MakeStudy) -> None:
        """The line names the study and the variant."""
        study = make_study(nccl={"ring": {"env": {"CUDA_DEVICE_MAX_CONNECTIONS": "1"}, "args": {}}})

        with pytest.raises(
            StudyError, match=r"^study quickstart: none.ring: CUDA_DEVICE_MAX_CONNECTIONS=1, expected"
        ):
            plan_study(study, "engine-cu12", "0.5.23")


class TestSharedLaunches:
    """Tests of launches that measure several variants."""

    def test_one_start_measures_the_baseline_its_control_and_all_chains(self, make_study: MakeStudy) -> None:
        """The server starts at the most steps, in SGLang's adaptive mode, for each NCCL variant once."""
        nccl = {"default": {"env": {}, "args": {}}, "ring": {"env": {"NCCL_ALGO": "Ring"}, "args": {}}}

        plan = plan_study(make_study(launches="auto", nccl=nccl), "engine-cu12", "0.5.16")

        first, second = plan.launches
        assert (first.id, first.kind) == ("oneload.default", "oneload")
        assert first.variants == ("none.default", "none-again.default", "s1.default", "s2.default")
        assert first.reason == "one start for 4 variants, switched before each pass"
        assert first.args == {
            "attention-backend": "fa3",
            "max-running-requests": 64,
            "tp-size": 1,
            "disable-radix-cache": True,
            "speculative-algorithm": "EAGLE3",
            "speculative-num-steps": 2,
            "speculative-eagle-topk": 1,
            "speculative-num-draft-tokens": 3,
            "speculative-adaptive": True,
        }
        assert (second.id, second.env) == ("oneload.ring", {"NCCL_ALGO": "Ring"})

    def test_trees_and_cpu_baselines_start_alone(self, make_study: MakeStudy) -> None:
        """What can't share a start keeps its own, and its arguments are what they would be anyway."""
        speculation = {
            "num_steps": [1, 2],
            "trees": [{"num_steps": 2, "eagle_topk": 2, "num_draft_tokens": 4}],
            "algorithm": "EAGLE3",
        }
        study = make_study(launches="auto", speculation=speculation, controls=[])

        plan = plan_study(study, "engine-cpu", "0.5.23")

        launches = {launch.id: launch for launch in plan.launches}
        assert list(launches) == ["oneload.default", "none.default", "s2k2d4.default"]
        assert launches["oneload.default"].variants == ("s1.default", "s2.default")
        dedicated = plan_study(study | {"launches": "dedicated"}, "engine-cpu", "0.5.23")
        its_own = next(launch for launch in dedicated.launches if launch.id == "none.default")
        assert launches["none.default"].digest == its_own.digest

    @pytest.mark.parametrize(
        ("controls", "kind", "engine", "controlled"),
        [
            ([], "dedicated", "engine-cu12", True),
            ([], "auto", "engine-cpu", False),  # there the baseline starts alone, the chains share
            ([], "auto", "engine-cu12", False),
            (["aa"], "auto", "engine-cu12", True),
        ],
    )
    def test_a_baseline_alone_starts_twice(
        self, make_study: MakeStudy, controls: list[str], kind: str, engine: str, controlled: bool
    ) -> None:
        """In a shared start the second one is the study's choice."""
        plan = plan_study(make_study(controls=controls, launches=kind), engine, "0.5.16")

        assert [variant.control for variant in plan.variants].count(True) == controlled
        measured = [variant for launch in plan.launches for variant in launch.variants]
        assert sorted(measured) == sorted(variant.id for variant in plan.variants)

    def test_the_timer_is_turned_where_variants_share_a_start(self, make_study: MakeStudy) -> None:
        """Its controls come last in that start, and bring no second baseline with them."""
        study = make_study(launches="auto", controls=["timer"])

        (launch,) = plan_study(study, "engine-cu12", "0.5.16").launches

        assert launch.variants == (
            *("none.default", "s1.default", "s2.default"),
            *("none-untimed.default", "s2-untimed.default"),
        )
        assert launch.candidates == (0, 1, 2)

    def test_a_timer_that_is_never_turned(self, make_study: MakeStudy) -> None:
        """A control of what starts alone is left out, with the reason why it does."""
        dedicated = plan_study(make_study(controls=["timer"]), "engine-cu12", "0.5.16")
        on_cpu = plan_study(make_study(controls=["timer"], launches="auto"), "engine-cpu", "0.5.23")

        assert [cell.cell for cell in dedicated.dropped] == ["none-untimed.default", "s2-untimed.default"]
        assert not any(variant.untimed for variant in dedicated.variants)
        assert dedicated.dropped[1].reason == (
            f"s2.default has a server of its own ({OWN}), and the timer is turned off and on in servers that "
            "are switched between passes alone"
        )
        assert [cell.cell for cell in on_cpu.dropped] == ["none-untimed.default"]
        assert on_cpu.launches[0].variants == ("s1.default", "s2.default", "s2-untimed.default")

    def test_says_what_sglang_changes_for_all_of_them(self, make_study: MakeStudy) -> None:
        """On a CPU the chains share a start without the overlap schedule that their baseline has."""
        plan = plan_study(make_study(launches="auto"), "engine-cpu", "0.5.23")

        assert plan.launches[0].reason == (
            "one start for 2 variants, switched before each pass; "
            "SGLang turns the overlap schedule off for it and not for its baseline"
        )


PCIE_IPC = {"env": {"SGLANG_ENABLE_PCIE_IPC_ALLREDUCE": "1"}, "args": {}}
REASON = "SGLANG_ENABLE_PCIE_IPC_ALLREDUCE, expected SGLang 0.5.21 or newer, the first with this all-reduce"


class TestTooNew:
    """Tests of NCCL variants that this SGLang does not have yet."""

    def test_left_out_with_the_reason(self, make_study: MakeStudy) -> None:
        """The rest of the study is planned, and a row says why the variant is not in it."""
        nccl = {"default": {"env": {}, "args": {}}, "pcie-ipc": PCIE_IPC}

        old = plan_study(make_study(nccl=nccl), "engine-cu12", "0.5.16")
        new = plan_study(make_study(nccl=nccl), "engine-cu12", "0.5.23")

        assert ("nccl.pcie-ipc", REASON) in {(row.cell, row.reason) for row in old.dropped}
        assert {variant.nccl for variant in old.variants} == {"default"}
        assert {variant.nccl for variant in new.variants} == {"default", "pcie-ipc"}

    def test_nothing_is_left(self, make_study: MakeStudy) -> None:
        """A study of nothing else is refused."""
        with pytest.raises(StudyError, match=re.escape(f"nccl.pcie-ipc: {REASON}; add another NCCL")):
            plan_study(make_study(nccl={"pcie-ipc": PCIE_IPC}), "engine-cu12", "0.5.16")
