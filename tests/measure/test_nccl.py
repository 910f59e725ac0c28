"""Tests of `sweetspot.measure.nccl`: NCCL's own lines, read as they are written."""

import json
from pathlib import Path

import pytest

from sweetspot.measure.nccl import Choice, NcclLog, obeys, overheard, overwritten, read_nccl_log

SHARED = Path(__file__).parents[3] / "shared" / "gpu-machine" / "results"
RING_LL = Choice("RING", "LL", 2)

# In the form of NCCL 2.28; two ranks' lines, one inside the other's output.
WRITTEN = """\
gpu:11:11 [0] NCCL INFO NCCL version 2.28.9+cuda13.0
gpu:11:11 [0] NCCL INFO NCCL_PROTO set by environment to LL
gpu:11:11 [0] NCCL INFO NCCL_NVLS_ENABLE set by environment to 0.
gpu:11:11 [0] NCCL INFO NCCL_P2P_LEVEL set by environment to SYS
gpu:11:11 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC
gpu:12:12 [1] NCCL INFO Channel 01 : 1[1] -> 0[0] via SHM/direct/direct
gpu:11:11 [0] NCCL INFO   Algorithm   |  Tree  |  Ring  |
gpu:11:11 [0] NCCL INFO AllReduce: 8192 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}
gpu:11:11 [0] NCCL INFO AllGather: 32000 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..5}
gpu:11:11 [0] NCCL INFO AllReduce: 8192 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}
gpu:11:11 [0] NCCL INFO AllReduce: 7340032 Bytes -> Algo NVLS_TREE proto SIMPLE channel{Lo..Hi}={0..15}
"""


class TestReadNcclLog:
    """Tests of `read_nccl_log`."""

    def test_of_every_kind_of_line(self) -> None:
        """All-reduces are counted by size and choice; other collectives are not all-reduces."""
        log = read_nccl_log(WRITTEN.splitlines())

        assert log.version == "2.28.9"
        assert log.all_reduces == {8192: {RING_LL: 2}, 7340032: {Choice("NVLS_TREE", "SIMPLE", 16): 1}}
        assert log.echoes == {"NCCL_PROTO": {"LL"}, "NCCL_NVLS_ENABLE": {"0"}, "NCCL_P2P_LEVEL": {"SYS"}}
        assert log.transports == {"P2P/IPC", "SHM/direct/direct"}

    def test_of_nothing(self) -> None:
        """Silence is an empty log."""
        assert read_nccl_log([]) == NcclLog()

    def test_of_a_real_server(self) -> None:
        """Lines of a server on two H200s: all-gathers only, in the form that the all-reduces have too."""
        sample = SHARED / "sample-nccl-tuning.txt"
        if not sample.exists():
            pytest.skip("no recorded log beside this checkout")
        lines = sample.read_text().splitlines()

        log = read_nccl_log(line.replace("AllGather", "AllReduce") for line in lines)

        assert read_nccl_log(lines).all_reduces == {}
        assert set(log.all_reduces) >= {32000, 128000, 1024000, 2048000}
        assert {choice.algorithm for chosen in log.all_reduces.values() for choice in chosen} == {"RING"}

    def test_of_real_choices(self) -> None:
        """What six servers chose on two H200s obeys what each was told, at every size."""
        recorded = SHARED / "call3-8b-x2-nccl.jsonl"
        if not recorded.exists():
            pytest.skip("no recorded choices beside this checkout")
        servers = [json.loads(line) for line in recorded.read_text().splitlines()]

        assert len(servers) == 6
        for server in servers:
            rows = [name.split() for name in server["nccl"] if name.startswith("AllReduce")]
            form = "NCCL INFO AllReduce: {1} Bytes -> Algo {2} proto {3} channel{{Lo..Hi}}={{0..1}}"
            lines = [form.format(*row) for row in rows]

            log = read_nccl_log(lines)

            assert len(log.all_reduces) == len(rows) > 5
            asked = server["config"].get("env", {})
            assert all(obeys(asked, choice) for chosen in log.all_reduces.values() for choice in chosen)


class TestObeys:
    """Tests of `obeys`."""

    @pytest.mark.parametrize(
        ("environment", "choice", "obeyed"),
        [
            ({}, RING_LL, True),
            ({"NCCL_ALGO": "ring", "NCCL_PROTO": "LL"}, RING_LL, True),
            ({"NCCL_ALGO": "allreduce:tree"}, RING_LL, False),
            ({"NCCL_ALGO": "allgather:ring"}, Choice("TREE", "LL", 1), True),
            ({"NCCL_PROTO": "^LL"}, RING_LL, False),
            ({"NCCL_PROTO": "LL128"}, RING_LL, False),
            ({"NCCL_ALGO": "NVLSTree,Ring"}, Choice("NVLS_TREE", "SIMPLE", 1), True),
        ],
    )
    def test_by_what_is_left_to_an_all_reduce(
        self, environment: dict[str, str], choice: Choice, obeyed: bool
    ) -> None:
        """Names compare in any case; what is said of other collectives does not count."""
        assert obeys(environment, choice) == obeyed


class TestOverwritten:
    """Tests of `overwritten`."""

    def test_another_value(self) -> None:
        """NCCL saw what SGLang set, not what the study did."""
        log = read_nccl_log(WRITTEN.splitlines())

        assert overwritten({"NCCL_NVLS_ENABLE": "1", "NCCL_PROTO": "ll"}, log) == {"NCCL_NVLS_ENABLE": "0"}

    def test_the_same_number(self) -> None:
        """NCCL writes the number that it read."""
        log = read_nccl_log(["x NCCL INFO NCCL_BUFFSIZE set by environment to 8388608."])

        assert overwritten({"NCCL_BUFFSIZE": "0x800000"}, log) == {}


class TestOverheard:
    """Tests of `overheard`."""

    def test_what_the_server_says_of_all_reduces(self) -> None:
        """Each line once, and not the server's arguments, which name every flag."""
        lines = [
            "server_args={'disable_custom_all_reduce': False}",
            "[TP0] Custom allreduce is disabled because your platform lacks GPU P2P capability",
            "[TP0] Custom allreduce is disabled because your platform lacks GPU P2P capability",
            "[TP0] Load weight end.",
        ]

        assert overheard(lines) == [lines[1]]
