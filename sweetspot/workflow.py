"""What Snakemake has to know of a study before it runs a rule: its launches, and what each depends on.

Whether a launch is measured again is decided by what is `asked` of it alone: what changes the physics.
Evaluated whenever the Snakefile is, also on cluster nodes, so it starts no server and writes no result.
"""

import fcntl
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any, Self

from sweetspot.errors import RunError, StudyError, SweetspotError
from sweetspot.host import engines, env
from sweetspot.models import prepare, prompts
from sweetspot.plan import Plan, entry, plan_study, priority
from sweetspot.plan.study import load
from sweetspot.run.job import PROTOCOL

RESULTS = Path("results")
PACKAGE = Path(__file__).parent

_HELD: list[IO[str]] = []  # open files, so that their locks last


@contextmanager
def one_line_errors() -> Iterator[None]:
    """End Snakemake with the line of an error that a user can meet, and no traceback."""
    try:
        yield
    except SweetspotError as error:
        sys.exit(str(error))


def put_tools_on_path() -> None:
    """Let rules call `sweetspot` where it lies beside the Python that runs Snakemake."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def study_file(config: dict[str, Any]) -> Path:
    """Return the study that Snakemake's *config* names, `config.yaml` if none.

    Raises:
        StudyError: If `--config` holds anything but `study`: values stand in the study file alone.
    """
    if unknown := sorted(config.keys() - {"study"}):
        raise StudyError(f"--config: {unknown[0]}, expected `study=NAME` alone; edit the study file instead")
    return Path("studies", f"{config['study']}.yaml") if "study" in config else Path("config.yaml")


def hold_folder() -> None:
    """Keep other Snakemakes out of `results/` for as long as this process lives.

    Raises:
        RunError: If another one is at work.
    """
    RESULTS.mkdir(exist_ok=True)
    guard = (RESULTS / ".lock").open("w")
    _HELD.append(guard)
    try:
        fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RunError("results/: another snakemake works on this folder; wait for it, or stop it") from None


def digest_of_code(*parts: str) -> str:
    """Return a hash of the sources under the package's *parts*: rules follow edits, not file times."""
    digest = hashlib.sha256()
    for part in parts:
        place = PACKAGE / part
        for path in sorted(place.rglob("*") if place.is_dir() else [place]):
            if path.suffix in {".py", ".j2"}:
                digest.update(f"{path.relative_to(PACKAGE)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True)
class Study:
    """A study file that was found right, its engine and its plan."""

    file: Path
    values: dict[str, Any]
    engine: str
    python: str | None  # interpreter of an external engine
    packages: dict[str, str]
    plan: Plan

    @classmethod
    def load(cls, file: Path) -> Self:
        """Read *file*, resolve its engine, and plan it.

        Raises:
            SweetspotError: If anything in it is wrong, before anything is started.
        """
        values = load(file)
        prompts.read(Path(values["prompts"]["file"]), values["prompts"]["sha256"])
        engine = engines.resolve(values["engine"], RESULTS / values["name"] / "plan" / "engine.json")
        python = entry(values, engine, str(file)).get("python")
        packages = engines.packages(engine, python)
        return cls(file, values, engine, python, packages, plan_study(values, engine, packages["sglang"]))

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

    def runs(self) -> list[tuple[str, int]]:
        """Return each launch of the plan in each round."""
        rounds = range(self.plan.rounds)
        return [(launch.id, round_) for round_ in rounds for launch in self.plan.launches]

    def record(self, launch: str, round_: int) -> Path:
        """Return where the record of *launch* in the round with this index lies."""
        return self.folder / "run" / launch / str(round_) / "record.json"

    @cached_property
    def models(self) -> dict[str, Any]:
        """What the models are: how they are constructed, or hashes of what is there."""
        return prepare.describe(self.values["models"])

    @cached_property
    def prompts(self) -> dict[str, Any]:
        """What the prompts are: hashes of their file and of the chat template, and the thinking switch."""
        section = self.values["prompts"]
        template = section["chat_template"]
        return {
            "sha256": section["sha256"],
            "chat_template": template and hashlib.sha256(Path(template).read_bytes()).hexdigest(),
            "thinking": section["thinking"],
        }

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
        launch = next(launch for launch in self.plan.launches if launch.id == launch_id)
        workload = self.plan.workload
        steps = {variant.id: variant.num_steps for variant in self.plan.variants}
        return {
            "protocol": PROTOCOL,
            "kind": launch.kind,
            "variants": list(launch.variants),
            "baselines": [variant for variant in launch.variants if steps[variant] == 0],
            "args": launch.args,
            "env": launch.env,
            "seed": self.plan.seed,
            "loads": list(workload.loads),
            "repeats": workload.repeats,
            "warmup_passes": workload.warmup_passes,
            "generation": workload.generation,
            "models": self.models,
            "prompts": self.prompts,
            "packages": _digest(self.packages),
        }

    def _attempt(self, launch_id: str, round_: int) -> int:
        outcome = self.record(launch_id, round_).with_name("outcome.json")
        if not outcome.exists():
            return 0
        last = json.loads(outcome.read_text())
        return int(last["attempt"]) + int(last["status"] == "failed")

    def priority(self, launch_id: str, round_: int) -> int:
        """Return the launch's rank in the study's shuffled order: the higher, the earlier."""
        return priority(self.plan, launch_id, round_)


def _digest(data: Any) -> str:  # noqa: ANN401  any JSON
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]
