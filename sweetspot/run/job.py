"""What one run has to do: one launch of a plan in one round, with all that it needs."""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweetspot.engine import base
from sweetspot.host import env
from sweetspot.host.facts import facts
from sweetspot.plan.json_file import read_json, read_json_lines

PROTOCOL = 2  # what is measured, and how; raised by hand, see tests/run/test_protocol.py
LAUNCH = ("kind", "variants", "candidates", "args", "env")
WORKLOAD = ("loads", "repeats", "warmup_passes", "generation", "profile")


@dataclass(frozen=True)
class Places:
    """Where things lie today; no part of what is measured."""

    folders: dict[str, Path]  # of the target and the draft
    interpreter: Path | None  # of an external engine


@dataclass(frozen=True)
class Job:
    """One launch in one round, with everything that it needs."""

    launch: dict[str, Any]  # id, kind, variants, candidates, args, env
    round: int
    seed: int
    steps: dict[str, int]  # num_steps of each of the launch's variants, 0 for a baseline
    workload: dict[str, Any]  # loads, repeats, warmup_passes, generation, limits
    engine: base.Engine
    folders: dict[str, Path]  # of the target and the draft
    prompts: list[dict[str, Any]]  # id and input_ids
    facts: dict[str, Any]  # what the record repeats: protocol, identity, host, engine, models, prompts_sha256
    untimed: tuple[str, ...] = ()  # variants measured with the timer off; if any, it is on for the others


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


def read_job(study: Path, asked: dict[str, Any], limits: dict[str, float], places: Places) -> Job:
    """Return the job that is asked for, with what the study's files say of engine, models and prompts.

    Args:
        study: The study's folder in `results/`.
        asked: `launch`, `round` and `identity`.
        limits: `start_s` and `stall_s`, in seconds.
        places: Where the models and an external engine's interpreter lie.

    Raises:
        InstallError: If the engine's environment is not built.
    """
    identity = asked["identity"]
    installed = read_json(study / "plan" / "engine.json", "name", "packages")
    return Job(
        launch={"id": asked["launch"], **{key: identity[key] for key in LAUNCH}},
        round=asked["round"],
        seed=identity["seed"],
        steps=identity["steps"],
        workload={**{key: identity[key] for key in WORKLOAD}, "limits": limits},
        engine=engine_of(installed["name"], places.interpreter),
        folders=places.folders,
        prompts=read_json_lines(study / "prompts.jsonl", "id", "input_ids"),
        facts={
            "protocol": PROTOCOL,
            "identity": identity,
            "host": facts(),
            "engine": installed,
            "models": read_json(study / "models.json", "target", "draft"),
            "prompts_sha256": identity["prompts"]["sha256"],
        },
        untimed=tuple(identity.get("untimed", ())),
    )


def engine_of(name: str, interpreter: Path | None) -> base.Engine:
    """Return the engine *name*, whose *interpreter* is given if it is the user's own."""
    if name == "fake":
        return base.fake()
    return base.sglang(name, interpreter or env.python_of(name))
