"""Tests of `sweetspot.plan.legality`: the rules of SGLang, each at the version where it changes."""

import pytest

from sweetspot.errors import StudyError
from sweetspot.plan.document import Args, Env, Variant
from sweetspot.plan.legality import check

BASELINE = Variant("none.a", 0, 0, 0, "a", None, "none.a", control=False)
CHAIN = Variant("s2.a", 2, 1, 3, "a", None, "none.a", control=False)
TREE = Variant("s3k4d8.a", 3, 4, 8, "a", None, "none.a", control=False)
FA3: Args = {"attention-backend": "fa3", "tp-size": 2}
V2: Env = {"SGLANG_ENABLE_SPEC_V2": "True"}
TRITON: Args = {"attention-backend": "triton", "tp-size": 2}
NO_TREE = "expected one that can verify a tree; take another for all variants, or remove the tree"
NO_OVERLAP: Args = {"disable-overlap-schedule": True}
PCIE_IPC: Env = {"SGLANG_ENABLE_PCIE_IPC_ALLREDUCE": "1"}

REFUSED = [
    (
        *(TREE, FA3, V2, "0.5.10.post1"),
        "a tree with SGLANG_ENABLE_SPEC_V2, expected a chain, all that it serves up to 0.5.10; "
        "remove the variable or the tree",
    ),
    (
        *(CHAIN, FA3 | NO_OVERLAP, V2, "0.5.10"),
        "SGLANG_ENABLE_SPEC_V2 beside disable-overlap-schedule, expected one of them, since up to 0.5.10 "
        "SGLang then turns the overlap schedule on again, though not for the baseline; remove one",
    ),
    (
        *(BASELINE, FA3, V2, "0.5.14"),
        "SGLANG_ENABLE_SPEC_V2, expected it absent from SGLang 0.5.14 on, which ignores it; "
        "remove it, or use the flag disable-overlap-schedule",
    ),
    (
        *(TREE, TRITON | {"page-size": 16}, {}, "0.5.12"),
        "a tree with page-size 16 on triton, expected page-size 1, or one of flashinfer, fa3; "
        "change either or remove the tree",
    ),
    (
        *(TREE, {"attention-backend": "intel_amx", "page-size": "16", "tp-size": 1}, {}, "0.5.23"),
        "a tree with page-size 16 on intel_amx, expected page-size 1, or one of flashinfer, fa3, triton; "
        "change either or remove the tree",
    ),
    (
        *(TREE, {"attention-backend": "trtllm_mla", "tp-size": 2}, {}, "0.5.23"),
        f"attention-backend trtllm_mla, {NO_TREE}",
    ),
    (
        *(TREE, FA3 | {"decode-attention-backend": "flashmla"}, {}, "0.5.9"),
        f"decode-attention-backend flashmla, {NO_TREE}",
    ),
    (
        *(TREE, FA3 | {"prefill-attention-backend": "trtllm_mha"}, {}, "0.5.23"),
        f"prefill-attention-backend trtllm_mha, {NO_TREE}",
    ),
    (
        *(TREE, {"tp-size": 1}, {}, "0.5.23"),
        "no attention-backend, expected one, since SGLang picks another for trees than for the baseline; "
        "name one in the engine's args",
    ),
    (
        *(CHAIN, {"attention-backend": "torch_native", "tp-size": 1}, {}, "0.5.23"),
        "attention backend torch_native, expected one that can draft; "
        "take another attention-backend, for the baseline too",
    ),
    (
        *(CHAIN, {"device": "cpu", "tp-size": 1}, {}, "0.5.14"),
        "speculation on a CPU, expected SGLang 0.5.16 or newer, the first with it; take a newer engine",
    ),
    (
        *(BASELINE, FA3, {"CUDA_DEVICE_MAX_CONNECTIONS": "1"}, "0.5.9"),
        "CUDA_DEVICE_MAX_CONNECTIONS=1, expected 8, which SGLang sets whatever the study says; "
        "remove CUDA_DEVICE_MAX_CONNECTIONS",
    ),
    (
        *(BASELINE, FA3 | {"enable-nccl-nvls": True}, {"NCCL_NVLS_ENABLE": "0"}, "0.5.23"),
        "NCCL_NVLS_ENABLE=0, expected 1, which SGLang sets whatever the study says; remove NCCL_NVLS_ENABLE",
    ),
    (
        *(BASELINE, FA3 | {"enable-symm-mem": True}, {"NCCL_CUMEM_ENABLE": "0"}, "0.5.23"),
        "NCCL_CUMEM_ENABLE=0, expected 1, which SGLang sets whatever the study says; "
        "remove NCCL_CUMEM_ENABLE",
    ),
    (
        *(BASELINE, FA3 | {"enable-deterministic-inference": True}, {"NCCL_ALGO": "Ring"}, "0.5.23"),
        "NCCL_ALGO=Ring, expected allreduce:tree, which SGLang sets whatever the study says; "
        "remove NCCL_ALGO",
    ),
    (
        *(BASELINE, FA3 | {"enable-deterministic-inference": True}, {"NCCL_MAX_NCHANNELS": "4"}, "0.5.18"),
        "NCCL_MAX_NCHANNELS=4, expected 8, which SGLang sets whatever the study says; "
        "remove NCCL_MAX_NCHANNELS",
    ),
    (
        *(BASELINE, FA3, PCIE_IPC, "0.5.20"),
        "SGLANG_ENABLE_PCIE_IPC_ALLREDUCE, expected SGLang 0.5.21 or newer, the first with this all-reduce; "
        "remove the variable or take a newer engine",
    ),
]

LEGAL = [
    (TREE, FA3, V2, "0.5.11"),
    (TREE, FA3 | {"page-size": 16}, {}, "0.5.12"),
    (TREE, TRITON | {"page-size": 16}, {}, "0.5.13"),
    (TREE, TRITON | {"page-size": 1}, {}, "0.5.12"),
    (TREE, {"device": "cpu", "attention-backend": "intel_amx", "tp-size": 1}, {}, "0.5.23"),
    (CHAIN, {"attention-backend": "trtllm_mha", "tp-size": 2}, {}, "0.5.23"),
    (CHAIN, {"tp-size": 2}, {}, "0.5.23"),
    (BASELINE, {"attention-backend": "torch_native", "tp-size": 1}, {}, "0.5.23"),
    (BASELINE, FA3, PCIE_IPC, "0.5.21"),
    (BASELINE, FA3, {"NCCL_NVLS_ENABLE": "0", "NCCL_ALGO": "Ring"}, "0.5.23"),
    (BASELINE, FA3 | {"enable-deterministic-inference": True}, {"NCCL_MAX_NCHANNELS": "4"}, "0.5.16"),
    (BASELINE, {"enable-deterministic-inference": True, "tp-size": 1}, {"NCCL_ALGO": "Ring"}, "0.5.23"),
]


class TestCheck:
    """Tests of `check`."""

    @pytest.mark.parametrize(("variant", "args", "env", "sglang", "line"), REFUSED)
    def test_says_which_rule_and_what_to_do(
        self, variant: Variant, args: Args, env: Env, sglang: str, line: str
    ) -> None:
        """What SGLang refuses or rewrites stops the plan with one line."""
        with pytest.raises(StudyError) as error:
            check("study a: b", variant, args, env, sglang, temperature=0)

        assert str(error.value) == f"study a: b: {line}"

    @pytest.mark.parametrize(("variant", "args", "env", "sglang"), LEGAL)
    def test_leaves_the_rest_alone(self, variant: Variant, args: Args, env: Env, sglang: str) -> None:
        """The neighbours of each rule are legal."""
        check("x", variant, args, env, sglang, temperature=0)

    def test_wants_greedy_speculation_on_a_cpu(self) -> None:
        """There the verify is greedy at any temperature, so only the baseline would sample."""
        args: Args = {"device": "cpu", "attention-backend": "intel_amx", "tp-size": 1}

        check("x", BASELINE, args, {}, "0.5.23", temperature=0.7)
        with pytest.raises(
            StudyError, match=r"^x: temperature 0.7, expected 0 on a CPU, .*; set generation.temperat"
        ):
            check("x", CHAIN, args, {}, "0.5.23", temperature=0.7)
