"""What SGLang of a given version refuses.

Read in the wheels from 0.5.9 to 0.5.23; a newer one is taken to behave like the last. What depends on the
model's architecture or on the GPU is left to SGLang, which refuses it at its start.
"""

from sweetspot.errors import StudyError
from sweetspot.plan.document import Args, Env, Variant
from sweetspot.plan.rewrites import V2_VARIABLE, is_true, overwritten
from sweetspot.plan.versions import Version, dotted, sglang_version

_CPU_SPECULATION: Version = (0, 5, 16)
_PCIE_IPC: Version = (0, 5, 21)

_NO_DRAFT = ("torch_native", "flex_attention")
_NO_TREE = ("flashmla", "cutlass_mla", "trtllm_mla", "cutedsl_mla", "trtllm_mha", "hpc_ops")
_BACKEND_FLAGS = ("attention-backend", "decode-attention-backend", "prefill-attention-backend")


def check(where: str, variant: Variant, args: Args, env: Env, sglang: str, temperature: float) -> None:
    """Raise if SGLang would refuse *variant*, or measure something else under its name.

    Args:
        where: Of the variant, for the error.
        variant: Which cell it is.
        args: Its merged server arguments.
        env: Its merged environment.
        sglang: SGLang's version.
        temperature: Of the requests.

    Raises:
        StudyError: With the rule and the remedy.
    """
    at = sglang_version(sglang)
    _check_env(where, args, env, at)
    if variant.num_steps > 0:
        _check_speculation(where, args, env, at, temperature)
    if variant.eagle_topk > 1:
        _check_tree(where, args, env, at)


def lacking(env: Env, at: Version) -> str | None:
    """Return what *env* asks for that SGLang learnt later, None if it has all of it."""
    asked = next((name for name in env if "PCIE_IPC" in name), None)
    if asked is None or at >= _PCIE_IPC:
        return None
    return f"{asked}, expected SGLang {dotted(_PCIE_IPC)} or newer, the first with this all-reduce"


def _check_env(where: str, args: Args, env: Env, at: Version) -> None:
    for name, value in overwritten(args, env, at).items():
        if env.get(name, value) != value:
            raise StudyError(
                f"{where}: {name}={env[name]}, expected {value}, which SGLang sets whatever the study says; "
                f"remove {name}"
            )
    if at >= (0, 5, 14) and V2_VARIABLE in env:
        raise StudyError(
            f"{where}: {V2_VARIABLE}, expected it absent from SGLang 0.5.14 on, which ignores it; "
            "remove it, or use the flag disable-overlap-schedule"
        )
    if lacking(env, at):
        raise StudyError(f"{where}: {lacking(env, at)}; remove the variable or take a newer engine")


def _check_speculation(where: str, args: Args, env: Env, at: Version, temperature: float) -> None:
    decode = args.get("decode-attention-backend", args.get("attention-backend"))
    if decode in _NO_DRAFT:
        raise StudyError(
            f"{where}: attention backend {decode}, expected one that can draft; "
            "take another attention-backend, for the baseline too"
        )
    if at <= (0, 5, 10) and is_true(env.get(V2_VARIABLE, "false")) and "disable-overlap-schedule" in args:
        raise StudyError(
            f"{where}: {V2_VARIABLE} beside disable-overlap-schedule, expected one of them, since up to "
            "0.5.10 SGLang then turns the overlap schedule on again, though not for the baseline; remove one"
        )
    if args.get("device") != "cpu":
        return
    if at < _CPU_SPECULATION:
        raise StudyError(
            f"{where}: speculation on a CPU, expected SGLang 0.5.16 or newer, the first with it; "
            "take a newer engine"
        )
    if temperature > 0:
        raise StudyError(
            f"{where}: temperature {temperature:g}, expected 0 on a CPU, where speculation is greedy at any "
            "temperature and the baseline is not; set generation.temperature to 0"
        )


def _check_tree(where: str, args: Args, env: Env, at: Version) -> None:
    if at <= (0, 5, 10) and is_true(env.get(V2_VARIABLE, "false")):
        raise StudyError(
            f"{where}: a tree with {V2_VARIABLE}, expected a chain, all that it serves up to 0.5.10; "
            "remove the variable or the tree"
        )
    if "attention-backend" not in args:
        raise StudyError(
            f"{where}: no attention-backend, expected one, since SGLang picks another for trees than for the "
            "baseline; name one in the engine's args"
        )
    for flag in _BACKEND_FLAGS:
        if args.get(flag) in _NO_TREE:
            raise StudyError(
                f"{where}: {flag} {args[flag]}, expected one that can verify a tree; "
                "take another for all variants, or remove the tree"
            )
    paged = ("flashinfer", "fa3") if at <= (0, 5, 12) else ("flashinfer", "fa3", "triton")
    if str(args.get("page-size", 1)) != "1" and args["attention-backend"] not in paged:
        raise StudyError(
            f"{where}: a tree with page-size {args['page-size']} on {args['attention-backend']}, expected "
            f"page-size 1, or one of {', '.join(paged)}; change either or remove the tree"
        )
