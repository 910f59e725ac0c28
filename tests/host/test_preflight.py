"""Tests of `sweetspot.host.preflight`: what can't work here is told before a load."""

from typing import Any

import pytest

from sweetspot.errors import RunError
from sweetspot.host.preflight import preflight
from sweetspot.plan import Estimate, Launch, Plan, Workload

PROMPTS = [{"id": "p0", "input_ids": [1, 2, 3]}, {"id": "p1", "input_ids": [4] * 10}]
HOST = {"gpus": [{"name": "a GPU"}], "nccl_conf": {}}


def plan(engine: str = "engine-cpu", **launch: Any) -> Plan:  # noqa: ANN401
    """Return a plan with two launches, the second with the arguments and environment of *launch*."""
    args = {"tp-size": launch.pop("tp_size", 1), "context-length": launch.pop("context", 1024)}
    args |= {"max-total-tokens": launch.pop("cache", 53)}  # what two prompts and their answers come to
    workload = Workload((1, 2), 5, 1, {"max_new_tokens": 20}, "none", 0.0, {"start_s": 1, "stall_s": 1})
    launches = (
        Launch("none.default", "dedicated", "", ("none.default",), args, {}),
        Launch("none.ll", "dedicated", "", ("none.ll",), args, launch.pop("env", {})),
    )
    return Plan("s", engine, "0.5.23", 0, 1, "", 1, (), launches, (), workload, Estimate(2, 1, 0.0))


class TestPreflight:
    """Tests of `preflight`."""

    def test_says_what_it_checked(self) -> None:
        """Each check leaves a line with what it found."""
        lines = preflight(plan(), HOST, PROMPTS)

        assert lines == [
            "engine-cpu: no GPU is asked for",
            "no variable from NCCL's own files",
            "2 prompts for at most 2 requests in flight",
            "30 tokens at most, prompt and output",
        ]

    def test_too_few_gpus(self) -> None:
        """Two ranks on one GPU are refused."""
        with pytest.raises(
            RunError, match=r"^tp_size: 2, expected at most the 1 GPUs of this host; lower it$"
        ):
            preflight(plan("engine-cu13", tp_size=2), HOST, PROMPTS)

    def test_no_gpu_at_all(self) -> None:
        """No lower tp_size helps there."""
        with pytest.raises(
            RunError, match=r"^engine: engine-cu13 on a host without NVIDIA GPUs, expected 1; "
        ):
            preflight(plan("engine-cu13"), HOST | {"gpus": []}, PROMPTS)

    def test_a_variable_from_a_file_of_nccls(self) -> None:
        """What such a file sets has to stand in every launch, whose environment beats it."""
        host = HOST | {"nccl_conf": {"/etc/nccl.conf": {"NCCL_PROTO": "Simple"}}}

        with pytest.raises(RunError) as error:
            preflight(plan("engine-cu13", env={"NCCL_PROTO": "LL"}), host, PROMPTS)

        assert str(error.value) == (
            "/etc/nccl.conf: NCCL_PROTO=Simple, expected in the study alone, which says what was measured; "
            "take it out, or set NCCL_PROTO in engines.engine-cu13.env, which beats the file"
        )

    def test_too_few_prompts_for_the_load(self) -> None:
        """One prompt can't keep two requests in flight."""
        with pytest.raises(RunError, match=r"^loads: 2, expected at most 1, the number of prompts"):
            preflight(plan(), HOST, PROMPTS[:1])

    def test_a_prompt_that_does_not_fit(self) -> None:
        """The longest prompt and its output have to fit into the context."""
        with pytest.raises(
            RunError, match=r"^prompt p1: 30 tokens .* at most context-length 29 of none.default"
        ):
            preflight(plan(context=29), HOST, PROMPTS)

    def test_a_cache_without_room_for_the_load(self) -> None:
        """Requests would wait for each other, and the load would not be in flight."""
        with pytest.raises(RunError, match=r"^load 2: 53 tokens .* max-total-tokens 52 of none.default"):
            preflight(plan(cache=52), HOST, PROMPTS)

    def test_a_length_that_is_no_number(self) -> None:
        """It is told as such."""
        with pytest.raises(RunError, match=r"^max-total-tokens: '4k', expected a number of tokens"):
            preflight(plan(cache="4k"), HOST, PROMPTS)
