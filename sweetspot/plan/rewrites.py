"""What SGLang rewrites without being asked: variables, and what it turns off for speculation. Pure.

Read in the wheels from 0.5.9 to 0.5.23; a newer one is taken to behave like the last.
"""

from sweetspot.plan.document import Args, Env, Variant
from sweetspot.plan.versions import Version, sglang_version

V2_VARIABLE = "SGLANG_ENABLE_SPEC_V2"
UNLESS_SET = {"NCCL_CUMEM_ENABLE": "0", "NCCL_NVLS_ENABLE": "0"}  # what SGLang sets where nothing is
OVERLAP, MIXED_CHUNK = "the overlap schedule", "mixed chunked prefill"  # what may be turned off


def without_overlap(variant: Variant, args: Args, env: Env, sglang: str) -> bool:
    """Return whether SGLang turns the overlap schedule off for *variant* and not for its baseline."""
    if variant.num_steps == 0 or "disable-overlap-schedule" in args:
        return False
    at = sglang_version(sglang)
    if args.get("device") == "cpu":
        return True
    if at <= (0, 5, 10):
        return not is_true(env.get(V2_VARIABLE, "false"))
    return (at <= (0, 5, 12) and variant.eagle_topk > 1) or not is_true(env.get(V2_VARIABLE, "true"))


def turned_off(variant: Variant, args: Args, env: Env, sglang: str) -> list[str]:
    """Return what SGLang turns off for *variant* and not for a baseline that has a server of its own."""
    found = [OVERLAP] if without_overlap(variant, args, env, sglang) else []
    return found + ([MIXED_CHUNK] if variant.num_steps and "enable-mixed-chunk" in args else [])


def server_env(args: Args, env: Env, sglang: str) -> Env:
    """Return *env* as SGLang's processes have it: what it sets over it, and what it sets where nothing is."""
    return UNLESS_SET | env | overwritten(args, env, sglang_version(sglang))


def overwritten(args: Args, env: Env, at: Version) -> Env:
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


def is_true(value: str) -> bool:
    """Return *value* as SGLang reads a boolean variable."""
    return value.lower() in ("true", "1", "yes", "y")
