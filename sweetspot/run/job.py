"""What one run has to do: one launch of a plan in one round, with all that it needs."""

import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweetspot.engine import base
from sweetspot.host import env

PROTOCOL = 1  # what is measured, and how; raised by hand, see tests/run/test_protocol.py


@dataclass(frozen=True)
class Job:
    """One launch in one round, with everything that it needs."""

    launch: dict[str, Any]  # of the plan
    round: int
    seed: int
    workload: dict[str, Any]  # of the plan
    baselines: frozenset[str]  # variants without speculation
    engine: base.Engine
    folders: dict[str, Path]  # of the target and the draft
    prompts: list[dict[str, Any]]  # id and input_ids
    facts: dict[str, Any]  # what the record repeats: identity, host, engine, models, prompts_sha256


def order_of_passes(job: Job) -> list[tuple[str, int, int]]:
    """Return each (variant, load, repeat) of the launch once, shuffled by the study's seed and the round."""
    passes = [
        (variant, load, repeat)
        for variant in job.launch["variants"]
        for load in job.workload["loads"]
        for repeat in range(job.workload["repeats"])
    ]
    random.Random(f"{job.seed} {job.launch['id']} {job.round}").shuffle(passes)
    return passes


def read_job(study: Path, asked: dict[str, Any]) -> Job:
    """Return the job that the files of a study describe.

    Args:
        study: The study's folder in `results/`.
        asked: `launch` (an id of its plan), `round`, and `identity`, which the record repeats.

    Raises:
        InstallError: If the engine's environment is not built.
    """
    plan = json.loads((study / "plan" / "plan.json").read_text())
    installed = json.loads((study / "plan" / "engine.json").read_text())
    models = json.loads((study / "models.json").read_text())
    prompts = (study / "prompts.jsonl").read_text().splitlines()
    interpreter = installed.pop("interpreter", None)
    return Job(
        launch=next(launch for launch in plan["launches"] if launch["id"] == asked["launch"]),
        round=asked["round"],
        seed=plan["seed"],
        workload=plan["workload"],
        baselines=frozenset(v["id"] for v in plan["variants"] if v["num_steps"] == 0),
        engine=_engine(installed["name"], interpreter),
        folders={role: Path(models[role]["folder"]) for role in ("target", "draft")},
        prompts=[json.loads(line) for line in prompts],
        facts={
            "protocol": PROTOCOL,
            "identity": asked["identity"],
            "host": json.loads((study / "host.json").read_text()),
            "engine": installed,
            "models": models,
            "prompts_sha256": plan["prompts_sha256"],
        },
    )


def _engine(name: str, interpreter: str | None) -> base.Engine:
    """Return the engine *name*, whose *interpreter* is given if it is the user's own."""
    if name == "fake":
        return base.fake()
    return base.sglang(name, Path(interpreter) if interpreter else env.python_of(name))
