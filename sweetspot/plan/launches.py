"""Turns a checked study into its plan: which servers start, with which arguments, at what cost. Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sweetspot.errors import StudyError
from sweetspot.plan.document import Args, Estimate, Launch, Plan, Variant, Workload
from sweetspot.plan.grid import Study, grid, settings
from sweetspot.plan.legality import check, version, without_overlap
from sweetspot.plan.nccl import check_nccl

CAPACITY = "max-running-requests"


@dataclass(frozen=True)
class _Speed:
    start_s: float  # until the server is healthy
    token_s: float  # of one request's decode


# ASSUME: a tiny model on a few cores, as SGLang 0.5.23 ran on two.
_CPU = _Speed(start_s=20.0, token_s=1 / 200)
# ASSUME: a model that one GPU host loads in minutes and decodes at 100 tokens/s; a large one takes longer.
_GPU = _Speed(start_s=180.0, token_s=1 / 100)
# ASSUME: the stand-in makes its tokens up as fast as it can.
_FAKE = _Speed(start_s=1.0, token_s=1 / 5000)
# ASSUME: a prompts file has about this many; the plan does not open it.
_PROMPTS = 8


def entry(study: Study, engine: str, where: str) -> Mapping[str, Any]:
    """Return what *study* says of *engine*: its `args` and `env`, and for `external` its `python`.

    Args:
        study: A study.
        engine: Name of an engine, `auto` resolved.
        where: The study, for the error.

    Raises:
        StudyError: If it says nothing.
    """
    engines: Mapping[str, Mapping[str, Any]] = study["engines"]
    if engine not in engines:
        raise StudyError(
            f"{where}: engines.{engine}: missing, expected an entry for the engine that serves beside "
            f"{', '.join(engines)}; add its args and env"
        )
    return engines[engine]


def plan_study(study: Study, engine: str, sglang: str, nccl: str | None = None) -> Plan:
    """Return the plan of *study* on *engine*.

    Args:
        study: A study that `study.load` returned.
        engine: Name of the engine that serves, `auto` resolved.
        sglang: Version of its SGLang.
        nccl: Version of its NCCL, None where it has none of its own.

    Raises:
        StudyError: If this SGLang would refuse a variant, or measure something else under its name.
    """
    where = f"study {study['name']}"
    version(sglang)
    served = entry(study, engine, where)
    _check_capacity(study, served, f"{where}: engines.{engine}.args.{CAPACITY}")
    variants, dropped = grid(study, served)
    launches = tuple(_launch(study, served, variant, sglang) for variant in variants)
    for launch in launches:
        check_nccl(f"{where}: {launch.id}", launch.args, launch.env, nccl)
    workload = Workload(
        loads=tuple(study["loads"]),
        repeats=study["repeats"],
        warmup_passes=study["warmup_passes"],
        generation=dict(study["generation"]),
        near_tie_nats=study["exactness"]["near_tie_nats"],
        limits=dict(study["limits"]),
    )
    return Plan(
        study=study["name"],
        engine=engine,
        sglang=sglang,
        seed=study["seed"],
        rounds=study["rounds"],
        prompts_sha256=study["prompts"]["sha256"],
        verdict_load=study["verdict_load"],
        variants=variants,
        launches=launches,
        dropped=dropped,
        workload=workload,
        estimate=_estimate(
            workload, len(launches) * study["rounds"], study["tp_size"], engine, served["args"]
        ),
    )


def _check_capacity(study: Study, engine: Mapping[str, Any], where: str) -> None:
    """Raise unless one capacity holds for all variants and for the largest load.

    Left out, SGLang sets it to 48 for speculation and not for the baseline.
    """
    places = {f"nccl.{name}.args": variant["args"] for name, variant in study["nccl"].items()}
    places |= {f"args_sets.{name}": args for name, args in study["args_sets"].items()}
    elsewhere = next((place for place, args in places.items() if CAPACITY in args), None)
    if elsewhere:
        raise StudyError(
            f"{where}: set in {elsewhere} too, expected one for all variants; remove it from {elsewhere}"
        )
    load = study["loads"][-1]
    if CAPACITY not in engine["args"]:
        raise StudyError(
            f"{where}: missing, expected {load} or more, since SGLang sets 48 for speculation only; add it"
        )
    found = engine["args"][CAPACITY]
    if not str(found).isdecimal() or int(str(found)) < load:
        raise StudyError(
            f"{where}: {found!r}, expected {load} or more, the largest load; raise it or drop the load"
        )


def _launch(study: Study, engine: Mapping[str, Any], variant: Variant, sglang: str) -> Launch:
    args, env = settings(study, engine, variant.nccl, variant.args_set or "")
    if variant.num_steps > 0:
        args |= _speculation(study, variant)
    where = f"study {study['name']}: {variant.id}"
    check(where, variant, args, env, sglang, study["generation"]["temperature"])
    reason = "each variant starts its own server"
    if without_overlap(variant, args, env, sglang):
        reason += "; SGLang turns the overlap schedule off for it and not for its baseline"
    return Launch(variant.id, "dedicated", reason, (variant.id,), args, env)


def _speculation(study: Study, variant: Variant) -> Args:
    return {
        "speculative-algorithm": study["speculation"]["algorithm"],
        "speculative-num-steps": variant.num_steps,
        "speculative-eagle-topk": variant.eagle_topk,
        "speculative-num-draft-tokens": variant.num_draft_tokens,
    }


def _estimate(workload: Workload, launches: int, tp_size: int, engine: str, args: Args) -> Estimate:
    """Return the cost of *launches* starts, each with its passes, as if every token took equally long."""
    on_cpu = engine == "fake" or args.get("device") == "cpu"
    speed = _FAKE if engine == "fake" else _CPU if on_cpu else _GPU
    waves = sum(
        math.ceil(_PROMPTS / load) for load in workload.loads
    )  # a wave: the load's requests, side by side
    tokens = (workload.warmup_passes + workload.repeats) * waves * workload.generation["max_new_tokens"]
    seconds = launches * (speed.start_s + tokens * speed.token_s)
    return Estimate(launches, round(seconds), 0.0 if on_cpu else round(seconds * tp_size / 3600, 2))
