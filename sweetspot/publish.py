"""Publishes a study that is whole: its files agree with the study, and every record with its plan."""

import json
from pathlib import Path

from sweetspot import asked, published
from sweetspot.errors import RecordError
from sweetspot.measure.tables import measure_files
from sweetspot.plan import Plan
from sweetspot.plan.json_file import read_json
from sweetspot.run.outcomes import check
from sweetspot.run.record import read
from sweetspot.study import Study

_REDACTED = ("args", "env")  # in a record, so `settings` stands for them
_AGAIN = "run `snakemake all` first"


def publish(study: Study) -> Path:
    """Copy *study* into `results/published/`, once it is found whole, and return that folder.

    Raises:
        SweetspotError: If a launch is missing, failed, or was measured for another study than its file says.
    """
    complete, folder = study.folder / "complete.json", study.folder
    if not complete.exists():
        raise RecordError(
            f"{folder}: no complete.json, expected a study whose launches are all measured; {_AGAIN}"
        )
    for stage, plan in _plans(study).items():
        file = folder / "plan" / f"{stage}.json"
        if Plan.read(file) != plan:
            raise RecordError(f"{file}: not the plan of {study.file} as it is now, expected that; {_AGAIN}")
        records = study.records(file)
        check(records)
        for record in records:
            _check_identity(study, record)
        measure_files(records, json.loads(plan.to_json()), processes=1)
    for nccl in study.nccl_variants():
        _check_probe(study, nccl)
    return published.copy(study.file, folder, proved=study.rechecks)


def _plans(study: Study) -> dict[str, Plan]:
    """Return what each file in `plan/` has to say, by its stage."""
    if not study.rechecks:
        return {"plan": study.plan}
    file = study.folder / "plan" / "recheck.json"
    doubted = {variant.id for variant in study.read_plan(file).variants}
    final = study.settled(read_json(study.folder / "equality.json", "holds")["holds"])
    return {"plan": study.plan, "recheck": study.recheck(doubted), "final": final}


def _check_identity(study: Study, path: Path) -> None:
    """Raise unless the record at *path* is of what the study asks of its launch now."""
    expected, found = asked.identity(study, path.parts[-3]), read(path)["identity"]
    for key in expected.keys() - _REDACTED:
        if found.get(key) != expected[key]:
            raise RecordError(f"{path}: {key} {found.get(key)}, expected {expected[key]}; {_AGAIN}")


def _check_probe(study: Study, nccl: str) -> None:
    """Raise unless an NCCL variant was probed and timed as the study asks now."""
    wanted = study.folder / "plan" / "nccl" / f"{nccl}.json"
    if read_json(wanted) != json.loads(json.dumps(asked.of_probe(study, nccl))):
        raise RecordError(f"{wanted}: of another study than {study.file}, expected it as it is now; {_AGAIN}")
    for file in ("probe", "allreduce"):
        read_json(study.folder / file / nccl / f"{file}.json", "nccl", "status")
