"""Tests of `sweetspot.analyse.nccl_proof`: only NCCL's choice at verify size proves a variant."""

from typing import Any

import pytest

from sweetspot.analyse.nccl_proof import prove
from tests.analyse.nccl_made_up import BASELINE, VERIFY, echo, lines, probed

SIMPLE = {"NCCL_PROTO": "Simple"}
ALL_SIMPLE = lines(BASELINE, protocol="SIMPLE") + lines(VERIFY, protocol="SIMPLE")
TRANSPORT = "vm:1:1 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via {}"
CUSTOM: dict[str, Any] = {"args": {}, "resolved": {"disable_custom_all_reduce": False}}


def variant(found: Any, default: Any = None) -> Any:  # noqa: ANN401
    """Return what is proven of *found* beside a default that is a ring with LL."""
    return prove({"default": default or probed(), "v": found})["variants"]["v"]


class TestStatus:
    """Tests of `status`, in which what a variable's echo says and what NCCL chose disagree."""

    def test_seen_without_an_echo(self) -> None:
        """The line with algorithm and protocol suffices."""
        assert variant(probed(ALL_SIMPLE, SIMPLE))["status"] == "seen"

    def test_an_echo_without_the_choice(self) -> None:
        """NCCL says that it read the variable, and chooses LL all the same."""
        log = [echo("NCCL_PROTO", "Simple"), *lines(BASELINE), *lines(VERIFY)]

        found = variant(probed(log, SIMPLE))

        assert (found["status"], found["detail"]) == ("ignored", "NCCL chose RING LL all the same")

    def test_the_choice_at_another_size_alone(self) -> None:
        """What NCCL does with the baseline's message says nothing of the verify's."""
        log = lines(BASELINE, protocol="SIMPLE") + lines(VERIFY)

        assert variant(probed(log, SIMPLE))["status"] == "ignored"

    def test_one_choice_among_others(self) -> None:
        """All lines at verify size have to obey."""
        log = ALL_SIMPLE + lines(VERIFY, count=1)

        assert variant(probed(log, SIMPLE))["status"] == "ignored"

    def test_another_value_than_the_studys(self) -> None:
        """SGLang set the variable to something else, which NCCL echoes."""
        log = [echo("NCCL_ALGO", "allreduce:tree"), *lines(BASELINE), *lines(VERIFY)]

        found = variant(probed(log, {"NCCL_ALGO": "Ring"}))

        assert (found["status"], found["detail"]) == ("overwritten", "NCCL saw NCCL_ALGO=allreduce:tree")

    def test_what_sglang_sets_anyway_is_not_asked_for(self) -> None:
        """An engine that turns NVLS off, as SGLang does by itself, leaves nothing of `default` to prove."""
        engine = {"NCCL_NVLS_ENABLE": "0"}

        found = prove({"default": probed(env=engine), "v": probed(ALL_SIMPLE, engine | SIMPLE)})["variants"]

        assert {name: (row["status"], row["detail"]) for name, row in found.items()} == {
            "default": ("seen", None),
            "v": ("seen", None),
        }

    def test_nothing_differs_from_itself(self) -> None:
        """A variable without a trace stays unproven in the variant that the others are held against."""
        alone = prove({"default": probed(env={"NCCL_P2P_LEVEL": "SYS"})})["variants"]["default"]

        assert (alone["status"], alone["detail"]) == ("unproven", "no line of NCCL's tells its effect")

    def test_no_line_at_another_size(self) -> None:
        """NCCL serves the verify, and nothing was logged or timed at the baseline's size."""
        messages = prove({"default": probed(lines(VERIFY))})["messages"]

        assert {(row["bytes"], row["status"], row["detail"]) for row in messages} == {
            (VERIFY, "seen", None),
            (BASELINE, "unproven", "no line at this size"),
        }

    def test_no_line_of_nccls_at_verify_size(self) -> None:
        """An echo and small all-reduces elsewhere: the custom kernel serves the verify."""
        found = variant(probed([echo("NCCL_PROTO", "Simple"), *lines(4, count=1)], SIMPLE, **CUSTOM))

        assert found["status"] == "not on the path"
        assert found["detail"] == (
            "0 lines of NCCL's at verify size, where a pass has 5 all-reduces: "
            "served by SGLang's custom all-reduce"
        )

    def test_fewer_lines_than_a_pass_has(self) -> None:
        """A fused all-reduce leaves NCCL the last layer and the embedding."""
        fused = {"enable_flashinfer_allreduce_fusion": True, "disable_custom_all_reduce": True}

        found = variant(probed(lines(VERIFY, count=2), resolved=fused))

        assert found["status"] == "not on the path"
        assert found["detail"].startswith("2 lines of NCCL's") and "FlashInfer's fused" in found["detail"]

    def test_a_custom_all_reduce_that_is_off(self) -> None:
        """The server said so, so it is not named; the PCIe-IPC one is, where the variant asks for it."""
        env = {"SGLANG_ENABLE_PCIE_IPC_ALLREDUCE": "1"}
        said = ["CustomAllreduce is disabled because it's not supported on more than two PCIe-only GPUs."]

        found = variant(probed([], env, said=said, **CUSTOM))

        assert found["detail"].endswith("served by the PCIe-IPC all-reduce")
        assert found["said"] == said

    def test_nothing_was_started(self) -> None:
        """On one GPU NCCL takes no part, nor on a CPU: which it is, the arguments say."""
        gpu, cpu = (probed(status="skipped", args={"tp-size": 1, **more}) for more in ({}, {"device": "cpu"}))

        for one, why in ((gpu, "one GPU: "), (cpu, "on a CPU: ")):
            found = variant(one, default=one)
            assert (found["status"], found["without_effect"]) == ("not on the path", True)
            assert found["detail"].startswith(why)

    def test_a_probe_that_failed(self) -> None:
        """Nothing is claimed of it."""
        found = variant(probed(status="failed"))

        assert (found["status"], found["without_effect"]) == ("not probed", False)

    def test_a_size_that_only_the_benchmark_saw(self) -> None:
        """Shorter verifies are not in the graphs of that server: the benchmark shows NCCL's choice."""
        found = prove({"default": probed(lines(VERIFY), bare_log=lines(BASELINE, protocol="LL128"))})

        rows = {row["bytes"]: (row["status"], row["protocol"]) for row in found["messages"]}
        assert rows == {BASELINE: ("seen", "LL128"), VERIFY: ("seen", "LL")}


class TestWithoutATraceOfItsOwn:
    """Tests of variables that name neither algorithm nor protocol."""

    @pytest.mark.parametrize(
        ("via", "status", "same"), [("SHM/direct/direct", "ignored", True), ("P2P/IPC", "seen", False)]
    )
    def test_a_transport(self, via: str, status: str, same: bool) -> None:
        """P2P_LEVEL acts if the ranks are connected otherwise than by default."""
        default = probed([TRANSPORT.format("SHM/direct/direct"), *lines(BASELINE), *lines(VERIFY)])
        log = [TRANSPORT.format(via), echo("NCCL_P2P_LEVEL", "SYS"), *lines(BASELINE), *lines(VERIFY)]

        found = variant(probed(log, {"NCCL_P2P_LEVEL": "SYS"}), default)

        assert (found["status"], found["without_effect"]) == (status, same)

    def test_channels(self) -> None:
        """A count of channels acts if the lines have that many."""
        log = lines(BASELINE, channels=8) + lines(VERIFY, channels=8)

        assert variant(probed(log, {"NCCL_MIN_NCHANNELS": "8"}))["status"] == "seen"

    def test_what_nccl_never_tells(self) -> None:
        """A buffer may act without a trace, so nothing is claimed, nor merged."""
        found = variant(probed(env={"NCCL_BUFFSIZE": "8388608"}))

        assert (found["status"], found["without_effect"]) == ("unproven", False)


class TestWithoutEffect:
    """Tests of `without_effect`."""

    def test_what_nccl_does_by_itself(self) -> None:
        """Seen, and the same as without it at every size."""
        found = variant(probed(env={"NCCL_PROTO": "LL"}))

        assert (found["status"], found["without_effect"]) == ("seen", True)

    def test_another_choice_at_one_size(self) -> None:
        """One size of the study is enough to be something else."""
        log = lines(BASELINE, "TREE") + lines(VERIFY)

        assert not variant(probed(log))["without_effect"]

    def test_where_nccl_serves_nothing(self) -> None:
        """Two variants under the custom all-reduce are one, whatever they set."""
        found = variant(probed([], {"NCCL_BUFFSIZE": "1"}, **CUSTOM), probed([], **CUSTOM))

        assert (found["status"], found["without_effect"]) == ("not on the path", True)

    def test_another_all_reduce(self) -> None:
        """The custom all-reduce beside NCCL is an effect."""
        assert not variant(probed([], **CUSTOM))["without_effect"]

    def test_another_flag(self) -> None:
        """A flag that is not about communication may change what no line of NCCL's shows."""
        assert not variant(probed(args={"attention-backend": "fa3"}))["without_effect"]

    def test_without_a_default(self) -> None:
        """Then the first variant is the reference, which is never merged with itself."""
        found = prove({"a": probed(), "b": probed()})

        assert found["reference"] == "a"
        assert [found["variants"][name]["without_effect"] for name in "ab"] == [False, True]

    def test_of_no_variant(self) -> None:
        """A study that was published without probes."""
        assert prove({}) == {"reference": None, "variants": {}, "messages": []}
