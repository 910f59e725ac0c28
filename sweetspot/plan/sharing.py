"""Which variants share one start of the server, that switches between them, and why others don't. Pure."""

from collections.abc import Mapping, Sequence

from sweetspot.plan.document import Args, Variant
from sweetspot.plan.versions import Version, sglang_version

ONELOAD: Version = (0, 5, 16)  # the first SGLang that can be switched to the baseline
_ADAPTIVE_OFF = (
    "enable-dp-attention",
    "enable-multi-layer-eagle",
    "enable-two-batch-overlap",
    "enable-pdmux",
)
_PIPELINE = ("pp-size", "pipeline-parallel-size")

Group = tuple[str, str | None]  # NCCL variant and set of arguments: what can't be switched


def groups(variants: Sequence[Variant]) -> dict[Group, list[Variant]]:
    """Return the variants that differ in speculation alone together, in their order."""
    found: dict[Group, list[Variant]] = {}
    for variant in variants:
        found.setdefault((variant.nccl, variant.args_set), []).append(variant)
    return found


def reasons_against(variants: Sequence[Variant], args: Args, sglang: str, asked: str) -> Mapping[str, str]:
    """Return which of a group's *variants* need a launch of their own, each with the reason.

    Args:
        variants: Of one group.
        args: Their server arguments, without speculation.
        sglang: SGLang's version.
        asked: The study's `launches`.
    """
    found = {variant.id: reason for variant in variants if (reason := _reason(variant, args, sglang, asked))}
    shared = [variant for variant in variants if variant.id not in found]
    if len(shared) > 1 and any(variant.num_steps for variant in shared):
        return found
    return found | {variant.id: "no other variant to share a start with" for variant in shared}


def _reason(variant: Variant, args: Args, sglang: str, asked: str) -> str | None:
    if asked == "dedicated":
        return "the study asks for dedicated launches"
    if sglang_version(sglang) < ONELOAD:
        return f"SGLang {sglang} can't be switched to the baseline, 0.5.16 is the first that can"
    if variant.eagle_topk > 1:
        return "a tree: SGLang switches between chains alone"
    if off := next((flag for flag in _ADAPTIVE_OFF if flag in args), None):
        return f"with {off} SGLang does not switch"
    if any(str(args.get(flag, 1)) != "1" for flag in _PIPELINE):
        return "with pipeline stages SGLang does not switch"
    if args.get("device") == "cpu" and variant.num_steps == 0:
        return "on a CPU the ordinary decode step takes about 6 % longer inside a server that speculates"
    return None
