"""Tests of `sweetspot.plan.rewrites`: what SGLang does unasked, each at the version where it changes."""

import pytest

from sweetspot.plan.document import Args, Env, Variant
from sweetspot.plan.rewrites import server_env, without_overlap

BASELINE = Variant("none.a", 0, 0, 0, "a", None, "none.a", control=False)
CHAIN = Variant("s2.a", 2, 1, 3, "a", None, "none.a", control=False)
TREE = Variant("s3k4d8.a", 3, 4, 8, "a", None, "none.a", control=False)
FA3: Args = {"attention-backend": "fa3", "tp-size": 2}
V2: Env = {"SGLANG_ENABLE_SPEC_V2": "True"}
NO_V2: Env = {"SGLANG_ENABLE_SPEC_V2": "0"}


class TestWithoutOverlap:
    """Tests of `without_overlap`."""

    @pytest.mark.parametrize(
        ("variant", "env", "sglang", "off"),
        [
            (CHAIN, {}, "0.5.10", True),
            (CHAIN, V2, "0.5.10", False),
            (CHAIN, {}, "0.5.11", False),
            (CHAIN, NO_V2, "0.5.12", True),
            (TREE, {}, "0.5.12", True),
            (TREE, {}, "0.5.13", False),
            (CHAIN, NO_V2, "0.5.13", True),
            (CHAIN, {}, "0.5.23", False),
            (BASELINE, {}, "0.5.10", False),
        ],
    )
    def test_by_version(self, variant: Variant, env: Env, sglang: str, off: bool) -> None:
        """Older versions overlap the baseline only, unless told otherwise."""
        assert without_overlap(variant, FA3, env, sglang) == off

    def test_on_a_cpu(self) -> None:
        """There speculation never overlaps, and the baseline does unless the study says no."""
        assert without_overlap(CHAIN, {"device": "cpu"}, {}, "0.5.23")
        assert not without_overlap(CHAIN, {"device": "cpu", "disable-overlap-schedule": True}, {}, "0.5.23")


class TestServerEnv:
    """Tests of `server_env`."""

    def test_what_sglang_sets_where_nothing_is(self) -> None:
        """A bare NCCL would take both features by itself; SGLang's processes do not."""
        set_by_sglang = {"CUDA_DEVICE_MAX_CONNECTIONS": "8", "CUDA_MODULE_LOADING": "AUTO"}

        assert server_env(FA3, {}, "0.5.16") == set_by_sglang | {
            "NCCL_CUMEM_ENABLE": "0",
            "NCCL_NVLS_ENABLE": "0",
        }
        assert server_env(FA3, {"NCCL_CUMEM_ENABLE": "1"}, "0.5.16")["NCCL_CUMEM_ENABLE"] == "1"

    def test_what_sglang_sets_over_the_study(self) -> None:
        """Deterministic inference takes the algorithm from the study."""
        args = FA3 | {"enable-deterministic-inference": True}

        assert server_env(args, {}, "0.5.16")["NCCL_ALGO"] == "allreduce:tree"
