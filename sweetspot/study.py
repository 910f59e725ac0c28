"""A study as its file means it on this host: engine, plan, models, prompts, and what its runs depend on."""

import hashlib
import json
from collections.abc import Collection
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from sweetspot.analyse.smoke import check_band
from sweetspot.errors import StudyError
from sweetspot.host import engines, env
from sweetspot.models import prepare, prompts
from sweetspot.models.identity import resolve
from sweetspot.plan import Launch, Plan, entry, plan_study, priority, stages
from sweetspot.plan.nccl_variables import nccl_version
from sweetspot.plan.probes import plan_probes
from sweetspot.plan.smoke import SMOKE, smoke_plan
from sweetspot.plan.study import load
from sweetspot.run.job import PROTOCOL

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
        if file.parent.name == "studies" and file.stem != values["name"]:
            raise StudyError(
                f"{file}: name: {values['name']!r}, expected {file.stem!r} like the file, or it would write "
                f"over the results of another study; rename one of them"
            )
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

    def second_stage(self) -> Plan | None:
        """Return the plan of the second stage as if the longest chain won, None if there is no such stage."""
        if not self.rechecks:
            return None
        shared = next(launch for launch in self.plan.launches if launch.kind == "oneload")
        winner = next(variant for variant in self.plan.variants if variant.id == shared.variants[-1])
        return self.recheck({winner.id, winner.baseline})

    def read_plan(self, file: Path) -> Plan:
        """Return the plan in *file*, one of those in `plan/`."""
        return self.plan if file.name == "plan.json" else Plan.from_json(file.read_text())

    def records(self, plan: Path) -> list[Path]:
        """Return where the records of the launches in the file *plan* lie, round by round."""
        planned = self.read_plan(plan)
        return [self.record(launch.id, r) for r in range(planned.rounds) for launch in planned.launches]

    def probe(self, nccl: str) -> dict[str, Any]:
        """Return what is asked of the probe of an NCCL variant, and all that can change what it finds."""
        probe = plan_probes(self.values, entry(self.values, self.engine, str(self.file)), self.plan)[nccl]
        return {**asdict(probe), "models": self.models, "packages": _digest(self.packages)}

    def nccl_variants(self) -> list[str]:
        """Return the NCCL variants of the plan, in its order."""
        return list(dict.fromkeys(variant.nccl for variant in self.plan.variants))

    @property
    def gpus(self) -> int:
        """How many GPUs a run asks a cluster for."""
        on_cpu = all(launch.args.get("device") == "cpu" for launch in self.plan.launches)
        return 0 if on_cpu else int(self.values["tp_size"])

    @staticmethod
    def sbatch_options(bound: Path) -> str:
        """Return what a run asks of SLURM: a node for itself, the one that the file *bound* names, if any."""
        if not bound.exists():
            return "--exclusive"
        return f"--exclusive --nodelist={json.loads(bound.read_text())['name']}"

    def record(self, launch: str, round_: int) -> Path:
        """Return where the record of *launch* in the round with this index lies."""
        return self.folder / "run" / launch / str(round_) / "record.json"

    def check_smoke(self) -> None:
        """Compare an accept_length that was found before with what the study expects of it now.

        Raises:
            ModelError: If it is outside.
        """
        found, asked = self.folder / "smoke.json", self.folder / "plan" / "launch" / SMOKE / "0.json"
        # of an earlier draft it says nothing
        if found.exists() and asked.exists() and json.loads(asked.read_text()) == self.asked(SMOKE, 0):
            length = json.loads(found.read_text())["accept_length"]
            check_band(length, self.values["smoke"]["accept_length"], "constructed" in self.values["models"])

    def asked(self, launch_id: str, round_: int) -> dict[str, Any]:
        """Return what is asked of a run: `launch`, `round`, `attempt` and `identity`.

        The attempt rises when the record in place is of a failure, which makes the next start try again.
        """
        attempt = self._attempt(launch_id, round_)
        return {
            "launch": launch_id,
            "round": round_,
            "attempt": attempt,
            "identity": self.identity(launch_id),
        }

    def identity(self, launch_id: str) -> dict[str, Any]:
        """Return what decides whether a record is still of a launch: all that can change a measurement.

        That leaves out when a server is given up, and what counts as a near-tie.
        """
        plan, launch = self._planned(launch_id)
        workload = plan.workload
        steps = {variant.id: variant.num_steps for variant in plan.variants}
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
            "models": self.models,
            "prompts": self.prompts,
            "packages": _digest(self.packages),
        }

    def _attempt(self, launch_id: str, round_: int) -> int:
        outcome = self.record(launch_id, round_).with_name("outcome.json")
        if not outcome.exists():
            return 0
        try:
            last = json.loads(outcome.read_text())
        except ValueError:  # cut short by a full disk
            return 1
        return int(last["attempt"]) + int(last["status"] == "failed")

    def priority(self, launch_id: str, round_: int) -> int:
        """Return the launch's rank in the study's shuffled order: the higher, the earlier."""
        return priority(self._planned(launch_id)[0], launch_id, round_)

    def _smoke(self) -> Plan:
        return smoke_plan(self.plan, self.values, entry(self.values, self.engine, str(self.file)))

    def _planned(self, launch_id: str) -> tuple[Plan, Launch]:
        """Return a launch, and the plan that has it: the study's own, or one made after its first verdict."""
        later = [self.folder / "plan" / f"{stage}.json" for stage in ("recheck", "final")]
        plans = [self.plan, self._smoke(), *(self.read_plan(file) for file in later if file.exists())]
        return next((plan, launch) for plan in plans for launch in plan.launches if launch.id == launch_id)


def _digest(data: Any) -> str:  # noqa: ANN401  any JSON
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]
