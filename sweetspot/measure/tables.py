"""Turns the records of a study into its four tables: requests, passes, exactness, launches.

Raises only on what can't be measured or contradicts itself; what is wrong with a result is a column. Of a
record, numbers a request and a pass stay in memory, and each distinct output once.
"""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sweetspot.errors import RecordError
from sweetspot.host.facts import fingerprint
from sweetspot.measure.checks import check, place
from sweetspot.measure.chunks import AGAIN
from sweetspot.measure.exactness import References, compare, exactness
from sweetspot.measure.passes import PASSES, measure_pass
from sweetspot.measure.phases import UNTIMED, Timed
from sweetspot.measure.requests import REAL, REQUESTS, TEXT, WHOLE
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


def measure_files(paths: Sequence[Path], plan: Document, processes: int) -> dict[str, pl.DataFrame]:
    """Return what `measure` returns of the records at *paths*, read by several *processes*.

    Raises:
        RecordError: If a record can't be read, is not of the launch as planned, or damaged.
        MeasureError: If the counts or times in a record contradict each other.
    """
    if processes == 1:
        return measure(map(_read, paths), plan)
    # A fork of a process that runs polars' threads may hang; a spawned one does not.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return _assemble(pool.map(partial(_reduce_file, plan=plan), paths, chunksize=8), plan)


def measure(records: Iterable[Document], plan: Document) -> dict[str, pl.DataFrame]:
    """Return the tables of a study by name.

    Args:
        records: Of launches of the plan, in any order, each with its `cycles`; none is kept.
        plan: The content of plan.json.

    Returns:
        `requests` (columns `REQUESTS` and those of `compare`), `passes` (`PASSES` and `host`), `exactness`
        (with its `host`: tokens are compared with those of the same kind) and `launches` (`LAUNCHES`).

    Raises:
        RecordError: If a record is not of the launch as planned, or damaged.
        MeasureError: If the counts or times in a record contradict each other.
    """
    return _assemble((_reduce(record, plan) for record in records), plan)


def _read(path: Path) -> Document:
    """Return the record at *path* with the `cycles` beside it."""
    return read(path) | {"cycles": read_cycles(path.with_name("cycles.jsonl.gz"))}


def _reduce_file(path: Path, plan: Document) -> Reduced:
    """Return what stays of the record at *path*, without the outputs that this process returned before."""
    part = _reduce(_read(path), plan)
    fresh = {digest: packed for digest, packed in part.outputs.items() if digest not in _RETURNED}
    _RETURNED.update(fresh)
    return replace(part, outputs=fresh)


def _reduce(record: Document, plan: Document) -> Reduced:
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
    greedy = plan["workload"]["generation"]["temperature"] == 0
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
        outputs=record["outputs"] if greedy else {},
        reference=record.get("reference", []),
        baselines={variants[variant]["baseline"] for variant in record["launch"]["variants"]},
    )


def _assemble(reduced: Iterable[Reduced], plan: Document) -> dict[str, pl.DataFrame]:
    """Return the tables of a study by name, those of each kind of host by themselves, one below the other."""
    kinds: dict[str, list[Reduced]] = {}
    outputs: dict[str, str] = {}
    for part in reduced:
        outputs |= part.outputs
        kinds.setdefault(part.launch["host"], []).append(replace(part, outputs={}))
    protocols = {part.protocol for parts in kinds.values() for part in parts}
    if len(protocols) > 1:
        raise RecordError(f"records: protocols {sorted(protocols)}, expected one; {AGAIN}")
    tables = [_assemble_kind(host, parts, outputs, plan) for host, parts in (kinds or {"": []}).items()]
    return {name: pl.concat(table[name] for table in tables) for name in tables[0]}


def _assemble_kind(
    host: str, parts: Sequence[Reduced], outputs: Mapping[str, str], plan: Document
) -> dict[str, pl.DataFrame]:
    """Return the tables of what one kind of *host* measured."""
    requests = {name: list(chain.from_iterable(part.requests[name] for part in parts)) for name in REQUESTS}
    passes = [row for part in parts for row in part.passes]
    references: References = {}
    for part in parts:
        for baseline in part.baselines:
            for entry in part.reference:
                references.setdefault((baseline, entry["prompt"]), {}).setdefault(entry["output"], entry)
    by_time = ["round", "launch", "order"]
    in_order = pl.DataFrame(requests, REQUESTS).sort(by_time, maintain_order=True)
    compared = compare(in_order, plan, outputs, references)
    columns = {name: [row[name] for row in passes] for name in PASSES}
    return {
        "requests": compared,
        "passes": pl.DataFrame(columns, PASSES).sort(by_time).with_columns(host=pl.lit(host)),
        "exactness": exactness(compared, plan).with_columns(host=pl.lit(host)),
        "launches": pl.DataFrame([part.launch for part in parts], LAUNCHES).sort("round", "launch"),
    }
