"""Tests of `sweetspot.plan.nccl`: what NCCL ignores, misreads or dies of is told before a launch."""

import pytest

from sweetspot.errors import StudyError
from sweetspot.plan.document import Args, Env
from sweetspot.plan.nccl import check_nccl

LEVELS = (
    "expected one of LOC, NVL, NVB, C2C, PIX, PXB, P2C, PXN, PHB, SYS in capitals, "
    "since NCCL ignores any other "
)
UNKNOWN = "no variable of NCCL 2.28.9, which ignores it without a word, expected one that it reads"
NOWHERE = "(NVLS needs NCCL_NVLS_ENABLE, which SGLang sets to 0), or NCCL ends the server"
INTEGER = "expected an integer; write the number that you mean in digits, without a unit"

REFUSED: list[tuple[Env, str]] = [
    (
        {"NCCL_PROTOCOL": "LL"},
        f"NCCL_PROTOCOL=LL: {UNKNOWN}; did you mean NCCL_PROTO",
    ),
    (
        {"NCCL_P2P_LEVL": "SYS"},
        f"NCCL_P2P_LEVL=SYS: {UNKNOWN}; did you mean NCCL_P2P_LEVEL",
    ),
    (
        {"NCCL_ZZZZ": "1"},
        f"NCCL_ZZZZ=1: {UNKNOWN}; remove it",
    ),
    (
        {"NCCL_PROTO": ""},
        "NCCL_PROTO=: empty, which NCCL takes for absent, expected a value; remove NCCL_PROTO",
    ),
    ({"NCCL_NVLS_ENABLE": "true"}, f"NCCL_NVLS_ENABLE=true: NCCL reads 0, {INTEGER}"),
    ({"NCCL_BUFFSIZE": "8M"}, f"NCCL_BUFFSIZE=8M: NCCL reads 8, {INTEGER}"),
    ({"NCCL_MIN_NCHANNELS": "010"}, f"NCCL_MIN_NCHANNELS=010: NCCL reads 8, {INTEGER}"),
    ({"NCCL_P2P_DISABLE": "yes"}, f"NCCL_P2P_DISABLE=yes: NCCL reads 0, {INTEGER}"),
    (
        {"NCCL_NVLS_ENABLE": "3"},
        "NCCL_NVLS_ENABLE=3: expected 0 to 2, to which NCCL clips it; write one of those",
    ),
    (
        {"NCCL_MAX_NCHANNELS": "128"},
        "NCCL_MAX_NCHANNELS=128: expected 1 to 64, to which NCCL clips it; write one of those",
    ),
    (
        {"NCCL_NTHREADS": "100"},
        "NCCL_NTHREADS=100: expected a multiple of 32, or NCCL takes its maximum; write 96",
    ),
    ({"NCCL_P2P_LEVEL": "sys"}, f"NCCL_P2P_LEVEL=sys: {LEVELS}without a word; write SYS"),
    ({"NCCL_P2P_LEVEL": "5"}, f"NCCL_P2P_LEVEL=5: {LEVELS}without a word; write one of those"),
    ({"NCCL_P2P_LEVEL": "FAR"}, f"NCCL_P2P_LEVEL=FAR: {LEVELS}without a word; write one of those"),
    (
        {"NCCL_PROTO": "LL,Simpel"},
        "NCCL_PROTO=LL,Simpel: 'Simpel', expected LL, LL128, Simple, or NCCL ends the server; correct it",
    ),
    (
        {"NCCL_ALGO": "Tree"},
        f"NCCL_ALGO=Tree leaves no algorithm for AllGather, expected Ring there {NOWHERE}; "
        "write NCCL_ALGO=allreduce:tree",
    ),
    (
        {"NCCL_ALGO": "^Ring"},
        f"NCCL_ALGO=^Ring leaves no algorithm for AllGather, expected Ring there {NOWHERE}; "
        "write NCCL_ALGO=allreduce:^ring",
    ),
    (
        {"NCCL_ALGO": "allreduce:nvls"},
        f"NCCL_ALGO=allreduce:nvls leaves no algorithm for AllReduce, expected Ring or Tree there {NOWHERE}; "
        "allow one of those",
    ),
    (
        {"NCCL_ALGO": "allreduce:nvls", "NCCL_PROTO": "LL", "NCCL_NVLS_ENABLE": "2"},
        "NCCL_ALGO=allreduce:nvls NCCL_PROTO=LL leaves no algorithm for AllReduce, expected Ring or Tree "
        f"there {NOWHERE}; allow one of those",
    ),
    (
        {"NCCL_ALGO": "Ring;tree"},
        "NCCL_ALGO=Ring;tree: 'tree' after a semicolon, expected COLLECTIVE:LIST there; name its collective",
    ),
    (
        {"NCCL_BUFFSIZE": "8388608", "NCCL_PROTO": "LL"},
        "NCCL_BUFFSIZE beside NCCL_PROTO=LL, expected Simple among the protocols, the one whose buffer it "
        "sizes; remove it",
    ),
]

LEGAL: list[tuple[Args, Env, str | None]] = [
    ({}, {}, "2.28.9"),
    ({}, {"NCCL_ALGO": "ring", "NCCL_PROTO": "ll"}, "2.28.9"),
    ({}, {"NCCL_ALGO": "allreduce:tree"}, "2.27.5"),
    ({}, {"NCCL_ALGO": "Ring,Tree"}, "2.28.9"),
    ({}, {"NCCL_PROTO": "^LL128;allreduce:LL"}, "2.28.9"),
    ({}, {"NCCL_BUFFSIZE": "8388608", "NCCL_PROTO": "LL,Simple"}, "2.28.9"),
    ({}, {"NCCL_BUFFSIZE": "0x800000"}, "2.28.9"),
    ({}, {"NCCL_P2P_LEVEL": "SYS"}, "2.28.9"),
    ({}, {"NCCL_ALGO": "allreduce:nvls", "NCCL_NVLS_ENABLE": "2"}, "2.28.9"),
    ({"enable-nccl-nvls": True}, {"NCCL_ALGO": "NVLS,Ring"}, "2.28.9"),
    ({}, {"NCCL_TUNER_PLUGIN": "libtuner.so"}, "2.28.9"),
    ({}, {"NCCL_PROTO": "LL"}, None),
    ({}, {"OMP_NUM_THREADS": "1"}, "2.0.0"),
]


class TestCheckNccl:
    """Tests of `check_nccl`."""

    @pytest.mark.parametrize(("env", "line"), REFUSED)
    def test_says_what_nccl_makes_of_it(self, env: Env, line: str) -> None:
        """What NCCL ignores, misreads or dies of stops the plan with one line."""
        with pytest.raises(StudyError) as error:
            check_nccl("study a: b", {}, env, "2.28.9")

        assert str(error.value) == f"study a: b: {line}"

    @pytest.mark.parametrize(("args", "env", "nccl"), LEGAL)
    def test_leaves_the_rest_alone(self, args: Args, env: Env, nccl: str | None) -> None:
        """The neighbours of each rule are legal."""
        check_nccl("x", args, env, nccl)

    @pytest.mark.parametrize(
        ("name", "least", "most"),
        [
            ("NCCL_NVLS_ENABLE", 0, 2),
            ("NCCL_CUMEM_ENABLE", -2, 1),
            ("NCCL_P2P_DISABLE", 0, 1),
            ("NCCL_SHM_DISABLE", 0, 1),
            ("NCCL_MIN_NCHANNELS", 1, 64),
            ("NCCL_MAX_NCHANNELS", 1, 64),
            ("NCCL_NTHREADS", 64, 512),
            ("NCCL_LL128_NTHREADS", 160, 640),
        ],
    )
    def test_a_range_ends_where_nccl_clips(self, name: str, least: int, most: int) -> None:
        """Both ends are legal, and the numbers beside them are not."""
        for legal in (least, most):
            check_nccl("x", {}, {name: str(legal)}, "2.28.9")
        for clipped in (least - 1, most + 1):
            with pytest.raises(StudyError, match=f"expected {least} to {most}, to which NCCL clips it"):
                check_nccl("x", {}, {name: str(clipped)}, "2.28.9")

    def test_a_variable_of_another_version(self) -> None:
        """A newer NCCL reads more variables, which an older one ignores."""
        check_nccl("x", {}, {"NCCL_ALLGATHERV_ENABLE": "1"}, "2.29.7")
        with pytest.raises(StudyError, match=r"NCCL_ALLGATHERV_ENABLE=1: no variable of NCCL 2\.28\.9"):
            check_nccl("x", {}, {"NCCL_ALLGATHERV_ENABLE": "1"}, "2.28.9")

    def test_a_library_of_the_users_own(self) -> None:
        """The package's version says nothing about the library that SGLang is told to load."""
        own = {"SGLANG_NCCL_SO_PATH": "libnccl.so.2", "NCCL_ALLGATHERV_ENABLE": "1"}

        check_nccl("x", {}, own, "2.28.9")
