"""What is asked of each run and each probe of a study, and which run is first: what rules compare."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from sweetspot.analyse.smoke import check_band
from sweetspot.errors import RecordError
from sweetspot.plan import Launch, Plan, priority
from sweetspot.plan.json_file import read_json
from sweetspot.plan.probes import plan_probes
from sweetspot.plan.smoke import SMOKE, smoke_plan
from sweetspot.run.job import PROTOCOL
from sweetspot.study import Study


def of_run(study: Study, launch_id: str, round_: int) -> dict[str, Any]:
    """Return what is asked of a run: `launch`, `round`, `attempt` and `identity`.

    The attempt rises when the record in place is of a failure, which makes the next start try again.
    """
    return {
        "launch": launch_id,
        "round": round_,
        "attempt": _attempt(study, launch_id, round_),
        "identity": identity(study, launch_id),
    }


def identity(study: Study, launch_id: str) -> dict[str, Any]:
    """Return what decides whether a record is still of a launch: all that can change a measurement.

    That leaves out when a server is given up, and what counts as a near-tie.
    """
    plan, launch = _planned(study, launch_id)
    workload = plan.workload
    steps = {variant.id: variant.num_steps for variant in plan.variants}
    untimed = [variant.id for variant in plan.variants if variant.untimed and variant.id in launch.variants]
    return {
        "protocol": PROTOCOL,
        "settings": launch.digest,
        "kind": launch.kind,
        "variants": list(launch.variants),
        "candidates": list(launch.candidates),
        "steps": {variant: steps[variant] for variant in launch.variants},
        "args": launch.args,
        "env": launch.env,
        "seed": plan.seed,
        "loads": list(workload.loads),
        "repeats": workload.repeats,
        "warmup_passes": workload.warmup_passes,
        "generation": workload.generation,
        "profile": workload.profile,
        "models": study.models,
        "prompts": study.prompts,
        "packages": _digest(study.packages),
        **({"untimed": untimed} if untimed else {}),
    }


def of_probe(study: Study, nccl: str) -> dict[str, Any]:
    """Return what is asked of the probe of an NCCL variant, and all that can change what it finds."""
    probe = plan_probes(study.values, study.engine_entry, study.plan)[nccl]
    return {**asdict(probe), "models": study.models, "packages": _digest(study.packages)}


def rank(study: Study, launch_id: str, round_: int) -> int:
    """Return the launch's rank in the study's shuffled order: the higher, the earlier."""
    return priority(_planned(study, launch_id)[0], launch_id, round_)


def check_smoke(study: Study) -> None:
    """Compare an accept_length that was found before with what *study* expects of it now.

    Raises:
        ModelError: If it is outside.
    """
    found, asked = study.folder / "smoke.json", study.folder / "plan" / "launch" / SMOKE / "0.json"
    # of an earlier draft it says nothing
    if found.exists() and asked.exists() and read_json(asked) == of_run(study, SMOKE, 0):
        length = read_json(found, "accept_length")["accept_length"]
        check_band(length, study.values["smoke"]["accept_length"], "constructed" in study.values["models"])


def _attempt(study: Study, launch_id: str, round_: int) -> int:
    outcome = study.record(launch_id, round_).with_name("outcome.json")
    if not outcome.exists():
        return 0
    try:
        last = read_json(outcome, "attempt", "status")
    except RecordError:  # cut short by a full disk
        return 1
    return int(last["attempt"]) + int(last["status"] == "failed")


def _planned(study: Study, launch_id: str) -> tuple[Plan, Launch]:
    """Return a launch, and the plan that has it: the study's own, or one made after its first verdict."""
    return next(
        (plan, launch) for plan in _plans(study) for launch in plan.launches if launch.id == launch_id
    )


def _plans(study: Study) -> Iterator[Plan]:
    """Yield the plans of *study*, those from files last: nearly every launch is in the first."""
    yield study.plan
    yield smoke_plan(study.plan, study.values, study.engine_entry)
    for stage in ("recheck", "final"):
        file = study.folder / "plan" / f"{stage}.json"
        if file.exists():
            yield study.read_plan(file)


def _digest(data: Any) -> str:  # noqa: ANN401  any JSON
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]
