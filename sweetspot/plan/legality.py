"""What SGLang of a given version refuses, and what it rewrites without being asked.

Read in the wheels from 0.5.9 to 0.5.23; a newer one is taken to behave like the last. What depends on the
model's architecture or on the GPU is left to SGLang, which refuses it at its start.
"""

import re

from sweetspot.errors import StudyError
from sweetspot.plan.document import Args, Env, Variant

Version = tuple[int, int, int]

OLDEST: Version = (0, 5, 9)
_CPU_SPECULATION: Version = (0, 5, 16)
_PCIE_IPC: Version = (0, 5, 21)
_V2_VARIABLE = "SGLANG_ENABLE_SPEC_V2"

_NO_DRAFT = ("torch_native", "flex_attention")
_NO_TREE = ("flashmla", "cutlass_mla", "trtllm_mla", "cutedsl_mla", "trtllm_mha", "hpc_ops")
_BACKEND_FLAGS = ("attention-backend", "decode-attention-backend", "prefill-attention-backend")


def version(sglang: str) -> Version:
    """Return the first three numbers of *sglang*: post-releases and local versions obey the same rules.

    Raises:
        StudyError: If it is no version, or one older than those that were read.
    """
    match = re.match(r"(\d+)\.(\d+)\.(\d+)", sglang)
    found = (int(match[1]), int(match[2]), int(match[3])) if match else (0, 0, 0)
    if found < OLDEST:
        raise StudyError(f"SGLang: version {sglang!r}, expected 0.5.9 or newer; install a newer one")
    return found


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
    at = version(sglang)
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
    first = ".".join(map(str, _PCIE_IPC))
    return f"{asked}, expected SGLang {first} or newer, the first with this all-reduce"


def without_overlap(variant: Variant, args: Args, env: Env, sglang: str) -> bool:
    """Return whether SGLang turns the overlap schedule off for *variant* and not for its baseline."""
    if variant.num_steps == 0 or "disable-overlap-schedule" in args:
        return False
    at = version(sglang)
    if args.get("device") == "cpu":
        return True
    if at <= (0, 5, 10):
        return not _truth(env.get(_V2_VARIABLE, "false"))
    return (at <= (0, 5, 12) and variant.eagle_topk > 1) or not _truth(env.get(_V2_VARIABLE, "true"))


def server_env(args: Args, env: Env, sglang: str) -> Env:
    """Return *env* as SGLang's processes have it: what it sets over it, and what it sets where nothing is."""
    unless_set = {"NCCL_CUMEM_ENABLE": "0", "NCCL_NVLS_ENABLE": "0"}
    return unless_set | env | _overwritten(args, env, version(sglang))


def _check_env(where: str, args: Args, env: Env, at: Version) -> None:
    for name, value in _overwritten(args, env, at).items():
        if env.get(name, value) != value:
            raise StudyError(
                f"{where}: {name}={env[name]}, expected {value}, which SGLang sets whatever the study says; "
                f"remove {name}"
            )
    if at >= (0, 5, 14) and _V2_VARIABLE in env:
        raise StudyError(
            f"{where}: {_V2_VARIABLE}, expected it absent from SGLang 0.5.14 on, which ignores it; "
            "remove it, or use the flag disable-overlap-schedule"
        )
    if lacking(env, at):
        raise StudyError(f"{where}: {lacking(env, at)}; remove the variable or take a newer engine")


def _overwritten(args: Args, env: Env, at: Version) -> Env:
    """Return the variables that SGLang sets over whatever is there, with its values."""
    fixed = {"CUDA_DEVICE_MAX_CONNECTIONS": "8", "CUDA_MODULE_LOADING": "AUTO"}
    if "enable-symm-mem" in args:
        fixed |= {"NCCL_CUMEM_ENABLE": "1", "NCCL_NVLS_ENABLE": "1"}
    if "enable-nccl-nvls" in args:
        fixed["NCCL_NVLS_ENABLE"] = "1"
    if "enable-deterministic-inference" in args and args["tp-size"] != 1:
        fixed["NCCL_ALGO"] = "allreduce:tree"
        if at >= (0, 5, 18):
            channels = env.get("SGLANG_DETERMINISTIC_NCCL_NCHANNELS", "8")
            fixed |= {"NCCL_MIN_NCHANNELS": channels, "NCCL_MAX_NCHANNELS": channels}
    return fixed


def _check_speculation(where: str, args: Args, env: Env, at: Version, temperature: float) -> None:
    decode = args.get("decode-attention-backend", args.get("attention-backend"))
    if decode in _NO_DRAFT:
        raise StudyError(
            f"{where}: attention backend {decode}, expected one that can draft; "
            "take another attention-backend, for the baseline too"
        )
    if at <= (0, 5, 10) and _truth(env.get(_V2_VARIABLE, "false")) and "disable-overlap-schedule" in args:
        raise StudyError(
            f"{where}: {_V2_VARIABLE} beside disable-overlap-schedule, expected one of them, since up to "
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
    if at <= (0, 5, 10) and _truth(env.get(_V2_VARIABLE, "false")):
        raise StudyError(
            f"{where}: a tree with {_V2_VARIABLE}, expected a chain, all that it serves up to 0.5.10; "
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


def _truth(value: str) -> bool:
    """Return *value* as SGLang reads a boolean variable."""
    return value.lower() in ("true", "1", "yes", "y")
