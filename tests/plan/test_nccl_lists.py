"""Tests of `sweetspot.plan.nccl_lists`: the grammar of NCCL_ALGO and NCCL_PROTO, as NCCL parses it."""

import pytest

from sweetspot.errors import StudyError
from sweetspot.plan.nccl_lists import COLLECTIVES, PROTOCOLS, allowed, read_list


class TestReadList:
    """Tests of `read_list`. The first three values are the examples in NCCL's own source."""

    def test_a_list_for_all_and_others_for_some(self) -> None:
        """A later list replaces the first for its collective."""
        read = read_list("NCCL_ALGO", "ring,collnetdirect;allreduce:tree,collnetdirect;broadcast:ring")

        assert read["AllGather"] == {"Ring", "CollNetDirect"}
        assert read["AllReduce"] == {"Tree", "CollNetDirect"}
        assert read["Broadcast"] == {"Ring"}

    def test_an_exclusion_for_one(self) -> None:
        """`^` excludes, for the collective alone."""
        read = read_list("NCCL_PROTO", "LL,Simple;allreduce:^LL")

        assert read["AllGather"] == {"LL", "Simple"}
        assert read["AllReduce"] == {"LL128", "Simple"}

    def test_an_exclusion_for_all(self) -> None:
        """Everything but one, and only that one for one collective."""
        read = read_list("NCCL_PROTO", "^LL128;allreduce:LL128")

        assert read["AllGather"] == {"LL", "Simple"}
        assert read["AllReduce"] == {"LL128"}

    def test_a_collective_alone_leaves_the_rest(self) -> None:
        """`allreduce:tree` says nothing of all-gather."""
        read = read_list("NCCL_PROTO", "allreduce:ll")

        assert read["AllReduce"] == {"LL"}
        assert all(read[name] == set(PROTOCOLS) for name in COLLECTIVES if name != "AllReduce")

    @pytest.mark.parametrize(
        ("value", "found"),
        [("Rings", "'Rings'"), ("allreduse:ring", "'allreduse'"), ("allreduce:", "'allreduce'")],
    )
    def test_refuses_what_nccl_refuses(self, value: str, found: str) -> None:
        """NCCL ends the process for an unknown word."""
        with pytest.raises(StudyError, match=f"^NCCL_ALGO={value}: {found}, expected "):
            read_list("NCCL_ALGO", value)


class TestAllowed:
    """Tests of `allowed`."""

    def test_of_both_variables(self) -> None:
        """What is not set allows everything."""
        algorithms, protocols = allowed({"NCCL_ALGO": "allreduce:tree"}, "AllReduce")

        assert algorithms == {"Tree"}
        assert protocols == set(PROTOCOLS)
