"""A study as its file means it on this host: engine, plan, models and prompts, and where its files lie."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from sweetspot.host import engines, env
from sweetspot.models import prepare, prompts
from sweetspot.models.folders import resolve
from sweetspot.plan import Plan, entry, plan_study, stages
from sweetspot.plan.namesake import check_name
from sweetspot.plan.nccl_variables import nccl_version
from sweetspot.plan.study import load

RESULTS = Path("results")


@dataclass(frozen=True)
class Study:
    """A study file that was found right, its engine and its plan."""

    file: Path
    values: dict[str, Any]
    engine: str
    python: str | None  # interpreter of an external engine
    packages: dict[str, str]
    models: dict[str, Any]  # how they are constructed, or hashes of what is there
    prompts: dict[str, Any]  # hashes of their file and of the chat template, and the thinking switch
    plan: Plan

    @classmethod
    def load(cls, file: Path, only_planned: bool = False) -> Self:
        """Read *file*, resolve its engine, and plan it.

        Args:
            file: The study.
            only_planned: Whether nothing is to be started, so that its models need not be here.

        Raises:
            SweetspotError: If anything in it is wrong, before anything is started.
        """
        values = load(file)
        check_name(file, values["name"])
        engine = engines.resolve(values["engine"], RESULTS / values["name"] / "plan" / "engine.json")
        python = entry(values, engine, str(file)).get("python")
        packages = engines.packages(engine, python)
        return cls(
            file=file,
            values=values,
            engine=engine,
            python=python,
            packages=packages,
            models=prepare.describe(values["models"], only_planned),
            prompts=prompts.describe(values["prompts"]),
            plan=plan_study(values, engine, packages["sglang"], nccl_version(packages)),
        )

    @property
    def folder(self) -> Path:
        """Where everything about the study is written."""
        return RESULTS / str(self.values["name"])

    @property
    def engine_entry(self) -> Mapping[str, Any]:
        """What the study says of the engine that serves: `args`, `env`, and for `external` its `python`."""
        return entry(self.values, self.engine, str(self.file))

    @property
    def locked(self) -> bool:
        """Whether the engine is an environment of ours, to be built from its lock."""
        return self.engine not in {"external", "fake"}

    def interpreter(self) -> Path | None:
        """Return the engine's Python, None for the stand-in of the tests, which has no torch.

        Raises:
            InstallError: If the engine's environment is not built.
        """
        if self.engine == "fake":
            return None
        return Path(self.python) if self.python else env.python_of(self.engine)

    @property
    def folders(self) -> dict[str, Path]:
        """Where target and draft lie, made or not."""
        return resolve(self.values["models"], prepare.CONSTRUCTED)

    @property
    def trained_on(self) -> list[int] | None:
        """Layers whose inputs the draft was trained on, None if nobody says or it was constructed."""
        layers: list[int] | None = self.values["models"].get("draft", {}).get("trained_on")
        return layers

    @property
    def rechecks(self) -> bool:
        """Whether a second stage proves that one-load launches measure as dedicated ones do."""
        return self.values["equality_rounds"] > 0 and stages.can_recheck(self.plan)

    def dedicated(self) -> Plan:
        """Return the plan with a launch for each variant."""
        values = self.values | {"launches": "dedicated"}
        return plan_study(values, self.engine, self.packages["sglang"], nccl_version(self.packages))

    def recheck(self, variants: Collection[str]) -> Plan:
        """Return the plan of the second stage, which measures *variants* both ways."""
        return stages.recheck(self.plan, self.dedicated(), variants, self.values["equality_rounds"])

    def settled(self, holds: bool) -> Plan:
        """Return the plan whose records decide: the first if one load *holds*, or else a launch each."""
        return self.plan if holds else self.dedicated()

    def second_stage(self) -> Plan | None:
        """Return the plan of the second stage as if the longest chain won, None if there is no such stage."""
        if not self.rechecks:
            return None
        shared = next(launch for launch in self.plan.launches if launch.kind == "oneload")
        measured = [variant for variant in self.plan.variants if variant.id in shared.variants]
        winner = [variant for variant in measured if not variant.control][-1]
        return self.recheck({winner.id, winner.baseline})

    def read_plan(self, file: Path) -> Plan:
        """Return the plan in *file*, one of those in `plan/`."""
        return self.plan if file.name == "plan.json" else Plan.read(file)

    def records(self, plan: Path) -> list[Path]:
        """Return where the records of the launches in the file *plan* lie, round by round."""
        planned = self.read_plan(plan)
        return [self.record(launch.id, r) for r in range(planned.rounds) for launch in planned.launches]

    def nccl_variants(self) -> list[str]:
        """Return the NCCL variants of the plan, in its order."""
        return list(dict.fromkeys(variant.nccl for variant in self.plan.variants))

    @property
    def gpus(self) -> int:
        """How many GPUs a run asks a cluster for."""
        on_cpu = all(launch.args.get("device") == "cpu" for launch in self.plan.launches)
        return 0 if on_cpu else int(self.values["tp_size"])

    def record(self, launch: str, round_: int) -> Path:
        """Return where the record of *launch* in the round with this index lies."""
        return self.folder / "run" / launch / str(round_) / "record.json"
