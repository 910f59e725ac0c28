"""What a plan says: the variants of a study, the launches that measure them, and what was left out.

The file is plan.json. Light to import: the standard library only, since the runner's machine has no more.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from sweetspot.errors import RecordError
from sweetspot.plan.json_file import AGAIN, read_json

Flag = str | int | float | bool | list[str | int | float]  # true is a bare flag, a list several values
Args = dict[str, Flag]  # server arguments, flag: value
Env = dict[str, str]


@dataclass(frozen=True)
class Variant:
    """One server configuration. A baseline has 0 in its speculative fields and is its own baseline."""

    id: str
    num_steps: int
    eagle_topk: int
    num_draft_tokens: int
    nccl: str
    args_set: str | None
    baseline: str  # id of the variant that it is compared with
    control: bool
    untimed: bool = False  # with the phase timer off: a control of what that costs


@dataclass(frozen=True)
class Launch:
    """One start of the server."""

    id: str
    kind: str  # oneload, of several variants, or dedicated
    reason: str  # why it is of this kind, and what SGLang changes in it behind the study's back
    variants: tuple[str, ...]
    args: Args  # without model paths, port and key
    env: Env
    candidates: tuple[int, ...] = ()  # step counts to switch between, 0 the baseline's; none if dedicated
    digest: str = field(init=False)  # of what the server is asked for, before any path in it is redacted

    @property
    def tp_size(self) -> int:
        """Ranks, and so GPUs, of the server."""
        return int(str(self.args["tp-size"]))

    def __post_init__(self) -> None:
        asked = json.dumps([self.kind, self.variants, self.candidates, self.args, self.env], sort_keys=True)
        object.__setattr__(self, "digest", hashlib.sha256(asked.encode()).hexdigest()[:16])


@dataclass(frozen=True)
class Dropped:
    """A cell that the study names and the plan does not measure under that name."""

    cell: str
    reason: str


@dataclass(frozen=True)
class Workload:
    """What every launch is asked to do."""

    loads: tuple[int, ...]  # requests in flight
    repeats: int
    warmup_passes: int
    generation: dict[str, Any]
    profile: str  # none, phases or trace
    near_tie_nats: float
    limits: dict[str, float]  # start_s, stall_s


@dataclass(frozen=True)
class Estimate:
    """What the study will cost, by a simple model of its engine."""

    launches: int  # starts, over all rounds
    seconds: int
    gpu_hours: float


@dataclass(frozen=True)
class Plan:
    """A study, ready to run."""

    study: str
    engine: str
    sglang: str  # version
    seed: int
    rounds: int
    prompts_sha256: str
    verdict_load: int  # requests in flight
    variants: tuple[Variant, ...]
    launches: tuple[Launch, ...]
    dropped: tuple[Dropped, ...]
    workload: Workload
    estimate: Estimate

    def to_json(self) -> str:
        """Return the text of plan.json."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, file: Path) -> Self:
        """Return the plan in *file*.

        Raises:
            RecordError: If there is none, or not one of this version of sweetspot.
        """
        raw = read_json(file, "variants", "launches", "dropped", "workload", "estimate")
        try:
            return cls(
                **raw
                | {
                    "variants": tuple(Variant(**variant) for variant in raw["variants"]),
                    "launches": tuple(_launch(**launch) for launch in raw["launches"]),
                    "dropped": tuple(Dropped(**dropped) for dropped in raw["dropped"]),
                    "workload": Workload(**raw["workload"] | {"loads": tuple(raw["workload"]["loads"])}),
                    "estimate": Estimate(**raw["estimate"]),
                }
            )
        except (KeyError, TypeError) as error:
            raise RecordError(f"{file}: {error}, expected a plan of this version; {AGAIN}") from error


def untimed(plan: Mapping[str, Any]) -> frozenset[str]:
    """Return the variants of a plan.json that are measured with the timer off; older ones have none."""
    return frozenset(variant["id"] for variant in plan["variants"] if variant.get("untimed"))


def _launch(variants: list[str], candidates: list[int], digest: str, **rest: Any) -> Launch:  # noqa: ANN401
    """Return the launch of a plan.json, whose *digest* follows from the rest."""
    return Launch(variants=tuple(variants), candidates=tuple(candidates), **rest)
