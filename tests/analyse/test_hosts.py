"""Only speeds of one node are compared, and each kind of host has a summary of its own."""

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from sweetspot.analyse.hosts import by_host, judge_apart, summarise_hosts
from sweetspot.measure.tables import measure

Row = dict[str, Any]
Where = dict[tuple[str, int], tuple[str, str]]  # GPU and node by launch and round

ROUNDS = 3
GPU = {"memory_mib": 1, "power_limit_w": 1, "max_sm_clock_mhz": 1, "max_memory_clock_mhz": 1}


@pytest.fixture
def plan(make_plan: Callable[..., Row]) -> Row:
    """A plan of a baseline and steps 2 in three rounds."""
    return make_plan(2, rounds=ROUNDS)


@pytest.fixture
def tables(
    plan: Row, make_pass: Callable[..., Row], make_record: Callable[..., Row]
) -> Callable[[Where], dict[str, pl.DataFrame]]:
    """Return a function from where each launch ran to what was measured; an H100 is half as fast."""

    def build(where: Where) -> dict[str, pl.DataFrame]:
        records = []
        for (launch, round_), (gpu, node) in where.items():
            accepted = [1] if launch == "s2.default" else None
            cycle_us = (10_000 + 100 * round_) * (2 if gpu == "H100" else 1)
            host = {"cpu": {"model": "a CPU", "usable_cores": 2}, "driver": "580", "node": node}
            host |= {"gpus": [{"name": gpu} | GPU] * 8}
            made = make_pass(accepted, cycle_us=cycle_us)
            records.append(make_record(plan, launch, [made], round_=round_, host=host))
        return measure(records, plan)

    return build


def everywhere(rounds: dict[int, tuple[str, str]]) -> Where:
    """Return where each launch ran if each of *rounds* ran on one node."""
    return {
        (launch, round_): place
        for launch in ("none.default", "s2.default")
        for round_, place in rounds.items()
    }


def test_one_kind_of_host_has_one_summary(plan: Row, tables: Callable[[Where], Any]) -> None:
    """Rounds on other nodes of the same kind are rounds as any."""
    measured = tables(everywhere({0: ("H200", "a"), 1: ("H200", "b"), 2: ("H200", "a")}))

    summary, apart = summarise_hosts(measured, plan)

    assert apart.is_empty()
    assert summary["status"].to_list() == ["complete", "complete"]
    assert summary["rounds"].to_list() == [ROUNDS, ROUNDS]
    assert summary["speedup"].to_list() == pytest.approx([1, 2])


def test_another_kind_of_host_is_apart(plan: Row, tables: Callable[[Where], Any]) -> None:
    """The kind with the most rounds is the study's; the other's are no hole in it and no part of it."""
    measured = tables(everywhere({0: ("H100", "a"), 1: ("H200", "b"), 2: ("H200", "b")}))

    summary, apart = summarise_hosts(measured, plan)
    (other,) = judge_apart(apart, 1)

    assert summary["status"].to_list() == ["complete", "complete"]
    assert summary["rounds"].to_list() == [2, 2]
    assert summary["decode_tokens_per_s"][0] == pytest.approx(1e6 / 10_150, rel=1e-3)
    assert "8 x H100" in other.host
    assert other.summary["rounds"].to_list() == [1, 1]
    assert other.summary["status"].to_list() == ["complete", "complete"]
    assert other.summary["decode_tokens_per_s"][0] == pytest.approx(50)
    assert [row["verdict"] for row in other.verdict["rows"]] == ["reference", "unclear"]


def test_two_nodes_in_a_round_are_not_compared(plan: Row, tables: Callable[[Where], Any]) -> None:
    """A variant on another node than its baseline has no speedup in that round, and keeps its speed."""
    where = everywhere({0: ("H200", "a"), 1: ("H200", "a"), 2: ("H200", "a")})
    where["s2.default", 2] = ("H200", "b")

    (measured,) = by_host(tables(where)).values()
    summary, _ = summarise_hosts(tables(where), plan)

    assert measured["launches"].sort("launch", "round")["round"].to_list() == [0, 1, 2, 0, 1, 3]
    assert summary["decode_tokens_per_s_by_round"][0].to_list()[3] is None
    assert summary["decode_tokens_per_s_by_round"][1].to_list()[2] is None
    assert summary["status"].to_list() == ["complete", "complete"]
    assert summary["speedup"].to_list() == pytest.approx([1, 2])


def test_a_round_wholly_on_two_nodes_says_so(plan: Row, tables: Callable[[Where], Any]) -> None:
    """Nothing is claimed where no node measured both."""
    where = everywhere({round_: ("H200", "a") for round_ in range(ROUNDS)})
    where |= {("s2.default", round_): ("H200", "b") for round_ in range(ROUNDS)}

    summary, _ = summarise_hosts(tables(where), plan)

    assert summary["speedup"].to_list() == [1, None]
