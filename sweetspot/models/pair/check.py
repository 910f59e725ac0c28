"""Looks at a pair for everything that would waste a model load: the part of the preflight about models."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sweetspot.errors import ModelError
from sweetspot.models.pair.checkpoint import Checkpoint, read
from sweetspot.models.pair.context import check_context
from sweetspot.models.pair.layers import KEY, check_layers
from sweetspot.models.pair.memory import check_memory, needed
from sweetspot.models.pair.shapes import check_algorithm, check_heads, check_sizes, is_mla
from sweetspot.models.pair.vocabulary import check_vocabulary
from sweetspot.plan import Plan
from sweetspot.plan.document import Args, Flag
from sweetspot.plan.versions import Version, sglang_version

_MLA_ALONE = ("flashmla", "cutlass_mla", "trtllm_mla", "cutedsl_mla", "tokenspeed_mla")
_DRAFT_BACKEND = "speculative-draft-attention-backend"
_DEFAULT_CAPTURED = 3  # hidden states, where the draft's config lists none


def check_pair(
    plan: Plan,
    folders: Mapping[str, Path],
    trained_on: Sequence[int] | None,
    host: Mapping[str, Any],
    prompts: Sequence[Mapping[str, Any]],
) -> list[str]:
    """Return what was checked of the models, a line each.

    Args:
        plan: What is to run.
        folders: Of the `target` and the `draft`.
        trained_on: Layers whose inputs the draft was trained on, None if the study does not say.
        host: The facts of this host.
        prompts: Each with `input_ids`.

    Raises:
        ModelError: For the first thing that can't work.
    """
    if plan.engine == "fake":
        return ["fake: its models are not looked into"]
    at, lines = sglang_version(plan.sglang), []
    longest = max(len(prompt["input_ids"]) for prompt in prompts) + plan.workload.generation["max_new_tokens"]
    # servers that load the same pair are looked at once
    for text in dict.fromkeys(
        str(launch.args.get("json-model-override-args", "{}")) for launch in plan.launches
    ):
        target, draft = (read(folders[role], _overrides(text)) for role in ("target", "draft"))
        lines += [*_pair(plan, target, draft, trained_on, at), _memory(plan, target, draft, host, longest)]
    return lines


def _pair(
    plan: Plan, target: Checkpoint, draft: Checkpoint, trained_on: Sequence[int] | None, at: Version
) -> list[str]:
    speculative = [launch for launch in plan.launches if "speculative-algorithm" in launch.args]
    algorithm = str(speculative[0].args["speculative-algorithm"])
    tp_size = plan.launches[0].tp_size
    lines = [
        check_algorithm(draft, algorithm, plan.sglang, at),
        _backends(plan, target, draft),
        check_context(target, draft, plan.launches),
    ]
    if algorithm == "EAGLE3":
        ids = (draft.config.get("eagle_config") or {}).get(KEY)
        captured = draft.config.get("num_aux_hidden_states") or (len(ids) if ids else _DEFAULT_CAPTURED)
        lines += [
            check_layers(target, draft, trained_on, plan.sglang, at),
            check_sizes(target, draft, captured),
            check_vocabulary(target, draft),
        ]
    return [
        *lines,
        *(f"{role}: {check_heads(m, tp_size)}" for role, m in (("target", target), ("draft", draft))),
    ]


def _backends(plan: Plan, target: Checkpoint, draft: Checkpoint) -> str:
    """Return that no launch asks for attention that a model of its does not have."""
    for launch in plan.launches:
        for backend in _attention(launch.args):
            if backend in _MLA_ALONE and not is_mla(target):
                raise ModelError(
                    f"{launch.id}: attention-backend {backend}, expected one for {target.architecture}, "
                    f"which has keys and values instead of a latent; take another, for the baseline too"
                )
        own = launch.args.get(_DRAFT_BACKEND)
        for backend in (own,) if own else _attention(launch.args):
            if "speculative-algorithm" in launch.args and backend in _MLA_ALONE and not is_mla(draft):
                raise ModelError(
                    f"{launch.id}: attention backend {backend} for the draft too, expected one for "
                    f"{draft.architecture}, which has keys and values instead of a latent; set "
                    f"{_DRAFT_BACKEND} in the engine's args, to triton or fa3 for example"
                )
    return "attention backends suit target and draft"


def _attention(args: Args) -> list[Flag | None]:
    """Return the backends that serve decode and prefill, None where SGLang picks one."""
    both = args.get("attention-backend")
    return [args.get(f"{phase}-attention-backend", both) for phase in ("decode", "prefill")]


def _memory(plan: Plan, target: Checkpoint, draft: Checkpoint, host: Mapping[str, Any], longest: int) -> str:
    tp_size = plan.launches[0].tp_size
    if plan.launches[0].args.get("device") == "cpu":
        return "memory of GPUs: none is used"
    tokens = max(plan.workload.loads) * longest
    given = plan.launches[0].args.get("mem-fraction-static")
    fraction = None if given is None else float(str(given))
    return check_memory(needed(target, draft, tp_size, tokens), host["gpus"], tp_size, fraction)


def _overrides(text: str) -> dict[str, Any]:
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError):
        raise ModelError(
            f"json-model-override-args: {text}, expected a JSON object; correct it in the study"
        ) from None
