"""Turns a record into what stays of it in memory: numbers a request and a pass, each distinct output once."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sweetspot.host.facts import fingerprint
from sweetspot.measure.checks import check, place
from sweetspot.measure.compared import greedy
from sweetspot.measure.passes import measure_pass
from sweetspot.measure.requests import REAL, REQUESTS, TEXT, WHOLE
from sweetspot.measure.timed import UNTIMED, Timed
from sweetspot.plan.document import untimed
from sweetspot.run.cycles import read_cycles
from sweetspot.run.record import read

Document = Mapping[str, Any]
Columns = dict[str, list[Any]]

LAUNCHES: dict[str, pl.DataType] = {
    "launch": TEXT,
    "round": WHOLE,
    "kind": TEXT,
    "variants": pl.List(TEXT),
    "status": TEXT,
    "failure": TEXT,  # kind and message
    "started_at": TEXT,
    "start_s": REAL,
    "host": TEXT,  # fingerprint of its kind
    "node": TEXT,  # label of the machine; null in records from before there was one
}

_RETURNED: set[str] = set()  # digests; most records of a study hold the same outputs


@dataclass(frozen=True)
class Reduced:
    """What stays of a record."""

    requests: Columns
    passes: list[dict[str, Any]]
    launch: dict[str, Any]
    protocol: int
    outputs: dict[str, str]  # packed tokens by digest; empty where outputs are not compared
    reference: list[dict[str, Any]]
    baselines: set[str]  # of the launch's variants


def read_record(path: Path) -> Document:
    """Return the record at *path* with the `cycles` beside it."""
    return read(path) | {"cycles": read_cycles(path.with_name("cycles.jsonl.gz"))}


def reduce_file(path: Path, plan: Document) -> Reduced:
    """Return what stays of the record at *path*, without the outputs that this process returned before."""
    part = reduce(read_record(path), plan)
    fresh = {digest: packed for digest, packed in part.outputs.items() if digest not in _RETURNED}
    _RETURNED.update(fresh)
    return replace(part, outputs=fresh)


def reduce(record: Document, plan: Document) -> Reduced:
    """Return what stays of *record*."""
    check(record, plan)
    variants = {variant["id"]: variant for variant in plan["variants"]}
    key = {"launch": record["launch"]["id"], "round": record["round"]}
    rows: list[dict[str, Any]] = []
    requests: Columns = {name: [] for name in REQUESTS}
    timed, without = Timed.of(record["cycles"]), untimed(plan)
    for pass_ in record["passes"]:
        key |= {name: pass_[name] for name in ("variant", "load", "repeat", "order")}
        where = f"{place(record)}: {key['variant']} at load {key['load']}, repeat {key['repeat']}"
        seen = UNTIMED if pass_["variant"] in without else timed
        row, columns = measure_pass(pass_, variants[pass_["variant"]]["num_steps"], where, seen)
        rows.append(key | row)
        columns |= {name: [value] * row["requests"] for name, value in key.items()}
        for name, column in columns.items():
            requests[name] += column.tolist() if isinstance(column, np.ndarray) else column
    failure = record["failure"]
    return Reduced(
        requests=requests,
        passes=rows,
        launch={
            "launch": record["launch"]["id"],
            "round": record["round"],
            "kind": record["launch"]["kind"],
            "variants": record["launch"]["variants"],
            "status": record["status"],
            "failure": None if failure is None else f"{failure['kind']}: {failure['message']}",
            "started_at": record["started_at"],
            "start_s": record["server"].get("start_s"),
            "host": fingerprint(record["host"]),
            "node": record["host"].get("node"),
        },
        protocol=record["protocol"],
        outputs=record["outputs"] if greedy(plan) else {},
        reference=record.get("reference", []),
        baselines={variants[variant]["baseline"] for variant in record["launch"]["variants"]},
    )
