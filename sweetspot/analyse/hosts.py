"""Keeps apart what may not be compared: other kinds of hosts, and within a round other nodes. Pure."""

from collections.abc import Mapping
from itertools import count
from typing import Any, NamedTuple

import polars as pl

from sweetspot.analyse.summary import summarise
from sweetspot.analyse.verdict import judge

Tables = Mapping[str, pl.DataFrame]


class Apart(NamedTuple):
    """What another kind of host measured, and what follows from that alone."""

    host: str  # its fingerprint
    summary: pl.DataFrame
    verdict: dict[str, Any]


def by_host(tables: Tables) -> dict[str, Tables]:
    """Return the tables of each kind of host by its fingerprint: first of the one with the most rounds.

    A round that several nodes measured becomes as many rounds, since speeds of two nodes are not compared.

    Args:
        tables: As `sweetspot.measure.tables.measure` returns them.
    """
    numbered = _a_round_for_each_node(tables)
    return {host: _of(host, numbered) for host in _ranked(tables["launches"])} or {"": numbered}


def of_first_host(passes: pl.DataFrame) -> pl.DataFrame:
    """Return those of *passes* that the study's own summary is of."""
    return passes.filter(pl.col("host").is_in(_ranked(passes)[:1]))


def _ranked(rows: pl.DataFrame) -> list[str]:
    """Return the hosts of *rows* by how many rounds they measured; of equals, the one that began first."""
    rounds = rows.group_by("host").agg(count=pl.col("round").n_unique(), first=pl.col("round").min())
    return rounds.sort("count", "first", "host", descending=[True, False, False])["host"].to_list()


def summarise_hosts(tables: Tables, plan: Mapping[str, Any]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the summary of the study, and below each other those of further kinds of hosts.

    Args:
        tables: As `sweetspot.measure.tables.measure` returns them.
        plan: The content of plan.json.

    Returns:
        The columns of `SUMMARY`; the second with `host` added, and empty if one kind measured all.
    """
    rounds = {host: set(part["round"]) for (host,), part in _by_host(tables["launches"]).items()}
    found = {}
    for host, its_tables in by_host(tables).items():
        elsewhere = set().union(*rounds.values()) - rounds.get(host, set())
        found[host] = summarise(its_tables, plan, plan["rounds"] - len(elsewhere))
    (host, main), *others = found.items()
    apart = [rows.with_columns(host=pl.lit(name)) for name, rows in others]
    return main, pl.concat(apart) if apart else main.with_columns(host=pl.lit(host)).clear()


def judge_apart(apart: pl.DataFrame, verdict_load: int) -> list[Apart]:
    """Return the verdict on each kind of host in the second result of `summarise_hosts`."""
    return [
        Apart(host, rows.drop("host"), judge(rows.drop("host"), verdict_load))
        for (host,), rows in _by_host(apart).items()
    ]


def _by_host(table: pl.DataFrame) -> dict[tuple[Any, ...], pl.DataFrame]:
    """Return *table* in parts, by host, in their order."""
    return table.partition_by("host", as_dict=True, maintain_order=True)


def _a_round_for_each_node(tables: Tables) -> Tables:
    """Return *tables* with new numbers for what a second node measured in a round."""
    launches = tables["launches"]
    nodes = launches.group_by("host", "round", "node").len("launches")
    nodes = nodes.sort("round", "launches", "node", descending=[False, True, False])
    fresh = count(1 + max(launches["round"].to_list(), default=0))
    numbers: list[int] = []
    seen: set[tuple[str, int]] = set()
    for host, round_ in nodes.select("host", "round").iter_rows():
        numbers.append(next(fresh) if (host, round_) in seen else round_)
        seen.add((host, round_))
    renumbered = nodes.select("host", "round", "node", number=pl.Series(numbers, dtype=pl.Int64))
    of_launch = launches.join(renumbered, on=["host", "round", "node"], nulls_equal=True)
    keys = of_launch.select("launch", "round", "number")
    return {
        name: table
        if name == "exactness"
        else table.join(keys, on=["launch", "round"], maintain_order="left")
        .with_columns(round=pl.col("number"))
        .drop("number")
        for name, table in tables.items()
    }


def _of(host: str, tables: Tables) -> Tables:
    """Return what *host* measured."""
    launches = tables["launches"].filter(pl.col("host") == host)
    exactness = tables["exactness"].filter(pl.col("host") == host)
    keys = launches.select("launch", "round")
    rest = {
        name: tables[name].join(keys, on=["launch", "round"], how="semi", maintain_order="left")
        for name in ("requests", "passes")
    }
    return {"launches": launches, "exactness": exactness, **rest}
