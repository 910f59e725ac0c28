"""Turns a checked study into its plan: which servers start, with which arguments, at what cost. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sweetspot.errors import StudyError
from sweetspot.plan.capacity import check_capacity
from sweetspot.plan.document import Args, Dropped, Env, Launch, Plan, Variant, Workload
from sweetspot.plan.estimate import estimate
from sweetspot.plan.grid import Study, entry, grid, settings
from sweetspot.plan.legality import check, lacking
from sweetspot.plan.nccl import check_nccl
from sweetspot.plan.rewrites import turned_off
from sweetspot.plan.sharing import groups, reasons_against
from sweetspot.plan.speculation import speculation_of
from sweetspot.plan.versions import Version, sglang_version


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
    at, served = sglang_version(sglang), entry(study, engine, where)
    study, too_new = _known_to(study, at, where)
    check_capacity(study, served, f"{where}: engines.{engine}.args")
    every, dropped = grid(study, served)
    launches = tuple(
        launch for group in groups(every).values() for launch in _launches(study, served, group, sglang)
    )
    measured = {name for launch in launches for name in launch.variants}
    variants = tuple(variant for variant in every if variant.id in measured)
    reasons = {name: launch.reason.partition(";")[0] for launch in launches for name in launch.variants}
    always_timed = [
        Dropped(
            variant.id,
            f"{variant.baseline} has a server of its own ({reasons[variant.baseline]}), and the timer is "
            "turned off and on in servers that are switched between passes alone",
        )
        for variant in every
        if variant.untimed and variant.id not in measured
    ]
    for launch in launches:
        check_nccl(f"{where}: {launch.id}", launch.args, launch.env, nccl)
    workload = Workload(
        loads=tuple(study["loads"]),
        repeats=study["repeats"],
        warmup_passes=study["warmup_passes"],
        generation=dict(study["generation"]),
        profile=study["profile"],
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
        dropped=(*too_new, *dropped, *always_timed),
        workload=workload,
        estimate=estimate(launches, study["rounds"], workload, engine),
    )


def _known_to(study: Study, at: Version, where: str) -> tuple[Study, tuple[Dropped, ...]]:
    """Return *study* without the NCCL variants that this SGLang does not have yet, each with the reason.

    Raises:
        StudyError: If none is left.
    """
    reasons = {name: lacking(variant["env"], at) for name, variant in study["nccl"].items()}
    known = {name: variant for name, variant in study["nccl"].items() if reasons[name] is None}
    if not known:
        name, reason = next(iter(reasons.items()))
        raise StudyError(f"{where}: nccl.{name}: {reason}; add another NCCL variant or take a newer engine")
    dropped = tuple(Dropped(f"nccl.{name}", reason) for name, reason in reasons.items() if reason)
    return {**study, "nccl": known}, dropped


def _launches(
    study: Study, engine: Mapping[str, Any], group: Sequence[Variant], sglang: str
) -> Iterator[Launch]:
    """Yield the launches of variants that differ in speculation alone, a shared one first.

    The control is among them if the study asks for it, and if no variants share a start: then the baseline's
    is in every comparison, and it starts twice a round (docs/decisions/004-the-baseline-starts-twice.md).
    """
    args, env = settings(study, engine, group[0].nccl, group[0].args_set or "")
    algorithm = study["speculation"]["algorithm"]
    for variant in group:
        where = f"study {study['name']}: {variant.id}"
        temperature = study["generation"]["temperature"]
        check(where, variant, args | speculation_of(variant).args(algorithm), env, sglang, temperature)
    alone = reasons_against(group, args, sglang, study["launches"])
    if "aa" not in study["controls"] and len(alone) < len(group):
        group = [variant for variant in group if not variant.control or variant.untimed]
    shared = [variant for variant in group if variant.id not in alone]
    if shared:
        longest = max(shared, key=lambda variant: variant.num_steps)
        yield Launch(
            id=".".join(["oneload", *longest.id.split(".")[1:]]),
            kind="oneload",
            reason=f"one start for {len(shared)} variants, switched before each pass"
            + ("" if shared[0].num_steps == 0 else _turned_off(longest, args, env, sglang)),
            variants=tuple(variant.id for variant in shared),
            args=args | speculation_of(longest).args(algorithm) | {"speculative-adaptive": True},
            env=env,
            candidates=tuple(sorted({variant.num_steps for variant in shared})),
        )
    for variant in group:
        if variant.id in alone and not variant.untimed:
            reason = alone[variant.id] + _turned_off(variant, args, env, sglang)
            its_args = args | speculation_of(variant).args(algorithm)
            yield Launch(variant.id, "dedicated", reason, (variant.id,), its_args, env)


def _turned_off(variant: Variant, args: Args, env: Env, sglang: str) -> str:
    """Return what to add to a reason if SGLang runs *variant* otherwise than its baseline's launch."""
    found = " and ".join(turned_off(variant, args, env, sglang))
    return f"; SGLang turns {found} off for it and not for its baseline" if found else ""
