"""Finds what a study's probes and benchmarks left, in `results/` as in what is published."""

import gzip
import zlib
from collections.abc import Sequence
from pathlib import Path

from sweetspot.analyse.nccl_probed import Probed
from sweetspot.errors import RecordError
from sweetspot.plan.json_file import read_json


def read_probed(study: Path, names: Sequence[str]) -> dict[str, Probed]:
    """Return each NCCL variant of *names* that was probed, in their order.

    Args:
        study: Folder with `probe/` and `allreduce/`, which a study published without them lacks.
        names: Of the NCCL variants.
    """
    return {name: _read(study, name) for name in names if (study / "probe" / name / "probe.json").exists()}


def _read(study: Path, name: str) -> Probed:
    probe, allreduce = study / "probe" / name, study / "allreduce" / name
    timed = allreduce / "allreduce.json"
    return Probed.read(
        read_json(probe / "probe.json", "nccl", "status", "messages"),
        _lines(probe / "nccl.log.gz"),
        _lines(probe / "server.log.gz"),
        read_json(timed, "nccl", "status", "timed") if timed.exists() else None,
        _lines(allreduce / "nccl.log.gz") if timed.exists() else [],
    )


def _lines(path: Path) -> list[str]:
    try:
        with gzip.open(path, "rt", errors="replace") as log:
            return log.read().splitlines()
    except (OSError, EOFError, zlib.error) as error:
        raise RecordError(
            f"{path}: {error}, expected a log; delete it, and snakemake probes this variant again"
        ) from None
