"""Compares a plan with the host and the prompts, before the first model is loaded."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from sweetspot.errors import RunError
from sweetspot.host import gpus
from sweetspot.plan import Launch, Plan

_GPU_ENGINES = ("engine-cu12", "engine-cu13")


def preflight(
    plan: Plan,
    host: Mapping[str, Any],
    prompts: Sequence[Mapping[str, Any]],
) -> list[str]:
    """Return what was checked, a line each.

    What GPUs need is looked for on this machine, if it has any; the rest follows from the arguments.

    Args:
        plan: What is to run.
        host: The facts of this host.
        prompts: Each with `id` and `input_ids`.

    Raises:
        RunError: For the first thing that can't work here.
    """
    checked = [
        _enough_gpus(plan, host),
        _no_hidden_variables(plan, host),
        _enough_prompts(plan, prompts),
        _prompts_fit(plan, prompts),
    ]
    if _on_gpus(plan, host):
        launch = plan.launches[0]
        environment = os.environ | launch.env
        checked += gpus.check(launch.args, environment)
    return checked


def _on_gpus(plan: Plan, host: Mapping[str, Any]) -> bool:
    """Return whether the study's servers run on NVIDIA GPUs; of the user's own engine the host decides."""
    if plan.engine == "external":
        return bool(host["gpus"]) and plan.launches[0].args.get("device") != "cpu"
    return plan.engine in _GPU_ENGINES


def _enough_gpus(plan: Plan, host: Mapping[str, Any]) -> str:
    wanted, found = plan.launches[0].tp_size, len(host["gpus"])
    if not _on_gpus(plan, host):
        return f"{plan.engine}: no GPU is asked for"
    if not found:
        raise RunError(
            f"engine: {plan.engine} on a host without NVIDIA GPUs, expected {wanted}; "
            f"mend its driver, start on another host, or choose engine-cpu"
        )
    if found < wanted:
        raise RunError(f"tp_size: {wanted}, expected at most the {found} GPUs of this host; lower it")
    return f"{wanted} of {found} GPUs"


def _no_hidden_variables(plan: Plan, host: Mapping[str, Any]) -> str:
    """Refuse what NCCL would take from a file and no launch says: it would reach every variant."""
    for file, variables in host["nccl_conf"].items():
        for name, value in variables.items():
            if any(name not in launch.env for launch in plan.launches):
                raise RunError(
                    f"{file}: {name}={value}, expected in the study alone, which says what was measured; "
                    f"take it out, or set {name} in engines.{plan.engine}.env, which beats the file"
                )
    return "no variable from NCCL's own files"


def _enough_prompts(plan: Plan, prompts: Sequence[Mapping[str, Any]]) -> str:
    load = max(plan.workload.loads)
    if len(prompts) < load:
        raise RunError(
            f"loads: {load}, expected at most {len(prompts)}, the number of prompts, or fewer requests than "
            f"the load would be in flight; add prompts or lower the load"
        )
    return f"{len(prompts)} prompts for at most {load} requests in flight"


def _prompts_fit(plan: Plan, prompts: Sequence[Mapping[str, Any]]) -> str:
    longest = max(prompts, key=lambda prompt: len(prompt["input_ids"]))
    answer = plan.workload.generation["max_new_tokens"]
    needed, load = len(longest["input_ids"]) + answer, max(plan.workload.loads)
    together = sum(sorted(len(prompt["input_ids"]) for prompt in prompts)[-load:]) + load * answer
    for launch in plan.launches:
        context, cache = (_tokens(launch, flag) for flag in ("context-length", "max-total-tokens"))
        if context is not None and needed > context:
            raise RunError(
                f"prompt {longest['id']}: {needed} tokens with those to be generated, expected at most "
                f"context-length {context} of {launch.id}; raise it, or shorten the prompt"
            )
        if cache is not None and together > cache:
            raise RunError(
                f"load {load}: {together} tokens of its longest prompts and answers, expected at most "
                f"max-total-tokens {cache} of {launch.id}, or requests wait for room and fewer are in "
                f"flight; raise it, or drop the load"
            )
    return f"{needed} tokens at most, prompt and output"


def _tokens(launch: Launch, flag: str) -> int | None:
    """Return how many tokens *flag* allows in *launch*, None if it does not say."""
    given = str(launch.args.get(flag, ""))
    if given and not given.isdecimal():
        raise RunError(f"{flag}: {given!r}, expected a number of tokens; write it in digits")
    return int(given) if given else None
