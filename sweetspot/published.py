"""The studies in git: `study.yaml`, `plan.json`, `recheck.json`, `host.json`, `run/`, `probe/`, `allreduce/`.

No rule writes there. A study comes there by being copied, whole; only one that had a second stage has a
`recheck.json`.
"""

import shutil
from pathlib import Path

from sweetspot.engine.redact import Redactor
from sweetspot.errors import RecordError
from sweetspot.plan.json_file import read_json
from sweetspot.run.outcomes import record_paths

TRACES = shutil.ignore_patterns("trace")
PUBLISHED = Path("results", "published")


def published_studies() -> list[str]:
    """Return the names of the studies that are published."""
    return sorted(plan.parent.name for plan in PUBLISHED.glob("*/plan.json"))


def reported_studies() -> list[str]:
    """Return the names of the studies of which only figures are published, without records."""
    return sorted(figures.parent.name for figures in PUBLISHED.glob("*/reported.yaml"))


def published_records(plan: Path) -> list[Path]:
    """Return the records of a published study that one of its plans asks for.

    Raises:
        RecordError: If one that its plan asks for is missing: no rule can make it.
    """
    paths = record_paths(plan.parent / "run", read_json(plan, "launches", "rounds"))
    if missing := [path for path in paths if not path.exists()]:
        raise RecordError(f"{missing[0]}: missing, expected every record of {plan}; restore it")
    return paths


def copy(study_file: Path, measured: Path, proved: bool) -> Path:
    """Copy a complete study to where git keeps it, in place of an earlier one, and return that folder.

    What names the host, its users or their folders is taken out; records never had it. Traces of a profiler
    are left where they are: no number comes from them, and they are large and name folders.

    Args:
        study_file: The study.
        measured: Its folder in `results/`, in which nothing is missing.
        proved: Whether it had a second stage, which wrote the plan that counts.
    """
    place, partial = PUBLISHED / measured.name, PUBLISHED / f".{measured.name}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    first, recheck, final = (measured / "plan" / f"{stage}.json" for stage in ("plan", "recheck", "final"))
    texts = {"study.yaml": study_file, "host.json": measured / "host.json"}
    texts |= {"plan.json": final, "recheck.json": recheck} if proved else {"plan.json": first}
    plans = {name: read_json(texts[name]) for name in texts.keys() & {"plan.json", "recheck.json"}}
    folders = [path.parent for plan in plans.values() for path in record_paths(measured / "run", plan)]
    variants = {variant["nccl"] for variant in plans["plan.json"]["variants"]}
    folders += [measured / stage / name for stage in ("probe", "allreduce") for name in sorted(variants)]
    for folder in folders:
        shutil.copytree(folder, partial / folder.relative_to(measured), ignore=TRACES, dirs_exist_ok=True)
    for name, source in texts.items():
        (partial / name).write_text(Redactor().text(source.read_text()))
    shutil.rmtree(place, ignore_errors=True)
    partial.rename(place)
    return place
