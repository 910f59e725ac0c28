"""Turns a study's lists into its variants: each once, named after what SGLang runs, baselines first."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sweetspot.errors import StudyError
from sweetspot.plan.document import Args, Dropped, Env, Variant
from sweetspot.plan.flags import words
from sweetspot.plan.speculation import BASELINE, Speculation, chain

Study = Mapping[str, Any]
Settings = tuple[Args, Env]


def grid(study: Study, engine: Mapping[str, Any]) -> tuple[tuple[Variant, ...], tuple[Dropped, ...]]:
    """Return every variant of *study* once, and the cells that are not measured under their own name.

    Args:
        study: A checked study.
        engine: Its entry for the engine that serves.

    Returns:
        Variants (baselines, a control of each, then by steps, then controls of the timer) and dropped cells.

    Raises:
        StudyError: If a tree has fewer nodes than it is to verify.
    """
    speculations, dropped = _speculations(study)
    nccl, same_nccl = _distinct({name: settings(study, engine, name, "") for name in study["nccl"]})
    args_sets, same_sets = _distinct(
        {name: settings(study, engine, nccl[0], name) for name in ("", *study["args_sets"])}
    )
    variants = [
        _variant(speculation, name, args_set)
        for speculation in [BASELINE, *speculations]
        for name in nccl
        for args_set in args_sets
    ]
    baselines = len(nccl) * len(args_sets)
    controls = [_control(baseline) for baseline in variants[:baselines]]
    untimed = _untimed(variants) if "timer" in study["controls"] else []
    same = [Dropped(f"nccl.{name}", reason) for name, reason in same_nccl.items()]
    same += [Dropped(f"args_sets.{name}", reason) for name, reason in same_sets.items()]
    return (*variants[:baselines], *controls, *variants[baselines:], *untimed), (*dropped, *same)


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
            f"{', '.join(engines)}; add its {'python, ' * (engine == 'external')}args and env"
        )
    return engines[engine]


def settings(study: Study, engine: Mapping[str, Any], nccl: str, args_set: str) -> Settings:
    """Return the server arguments and environment that a baseline has; what comes later wins.

    Args:
        study: A checked study.
        engine: Its entry for the engine that serves.
        nccl: Name of an NCCL variant.
        args_set: Name of a set of arguments, or nothing.
    """
    variant = study["nccl"][nccl]
    args = engine["args"] | variant["args"] | (study["args_sets"][args_set] if args_set else {})
    args |= {"tp-size": study["tp_size"]} | ({} if study["radix_cache"] else {"disable-radix-cache": True})
    return args, engine["env"] | variant["env"]


def _speculations(study: Study) -> tuple[list[Speculation], list[Dropped]]:
    """Return the study's chains and trees in their canonical form, by steps, and what fell together."""
    kept = {chain(num_steps) for num_steps in study["speculation"]["num_steps"]}
    dropped = []
    for tree in study["speculation"]["trees"]:
        asked = Speculation(tree["num_steps"], tree["eagle_topk"], tree["num_draft_tokens"])
        run = asked.canonical()
        run.check(f"study {study['name']}: {asked.long_id}")
        if run != asked:
            reason = (
                f"SGLang sets num_draft_tokens to num_steps + 1 when eagle_topk is 1: measured as {run.id}"
            )
            dropped.append(Dropped(asked.long_id, reason))
        elif run in kept:
            reason = "listed twice" if run.id == asked.long_id else f"same as {run.id}"
            dropped.append(Dropped(asked.long_id, reason))
        kept.add(run)
    return sorted(kept), list(dict.fromkeys(dropped))


def _distinct(named: Mapping[str, Settings]) -> tuple[list[str], dict[str, str]]:
    """Return the names whose server differs from all before it, and for each other one which it equals."""
    first: dict[object, str] = {}
    same = {}
    for name, (args, env) in named.items():
        server = (frozenset((flag, *words(value)) for flag, value in args.items()), frozenset(env.items()))
        kept = first.setdefault(server, name)
        if kept != name:
            same[name] = f"same as {kept}" if kept else "same as no set of arguments"
    return list(first.values()), same


def _variant(speculation: Speculation, nccl: str, args_set: str) -> Variant:
    suffix = f".{nccl}.{args_set}" if args_set else f".{nccl}"
    return Variant(
        id=speculation.id + suffix,
        num_steps=speculation.num_steps,
        eagle_topk=speculation.eagle_topk,
        num_draft_tokens=speculation.num_draft_tokens,
        nccl=nccl,
        args_set=args_set or None,
        baseline=BASELINE.id + suffix,
        control=False,
    )


def _control(baseline: Variant) -> Variant:
    """Return *baseline* a second time, which a sound method finds no different."""
    return replace(baseline, id=baseline.id.replace(BASELINE.id, "none-again", 1), control=True)


def _untimed(variants: Sequence[Variant]) -> list[Variant]:
    """Return the baselines and the longest chains a second time, each a control of its timed twin."""
    longest = max((variant.num_steps for variant in variants if variant.eagle_topk == 1), default=0)
    twins = [variant for variant in variants if variant.eagle_topk < 2 and variant.num_steps in (0, longest)]
    return [
        replace(twin, id=twin.id.replace(".", "-untimed.", 1), baseline=twin.id, control=True, untimed=True)
        for twin in twins
    ]
