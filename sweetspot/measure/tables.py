"""Turns the records of a study into its four tables: requests, passes, exactness, launches.

Raises only on what can't be measured or contradicts itself; what is wrong with a result is a column.
"""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import chain
from multiprocessing import get_context
from pathlib import Path

import polars as pl

from sweetspot.errors import RecordError
from sweetspot.measure.chunks import AGAIN
from sweetspot.measure.compared import References, compare
from sweetspot.measure.exactness import exactness
from sweetspot.measure.passes import PASSES
from sweetspot.measure.reduced import LAUNCHES, Document, Reduced, read_record, reduce, reduce_file
from sweetspot.measure.requests import REQUESTS


def measure_files(paths: Sequence[Path], plan: Document, processes: int) -> dict[str, pl.DataFrame]:
    """Return what `measure` returns of the records at *paths*, read by several *processes*.

    Raises:
        RecordError: If a record can't be read, is not of the launch as planned, or damaged.
        MeasureError: If the counts or times in a record contradict each other.
    """
    if processes == 1:
        return measure(map(read_record, paths), plan)
    # A fork of a process that runs polars' threads may hang; a spawned one does not.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        return _assemble(pool.map(partial(reduce_file, plan=plan), paths, chunksize=8), plan)


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
    return _assemble((reduce(record, plan) for record in records), plan)


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
