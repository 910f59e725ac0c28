"""What NCCL of a given version ignores, reads as something else, or dies of, told before any model is loaded.

Read in NCCL's sources at the tags of `nccl_variables.csv`. One host is assumed: no collective of a server
crosses a network.
"""

import re

from sweetspot.errors import StudyError
from sweetspot.plan.document import Args, Env
from sweetspot.plan.nccl_lists import allowed, read_list
from sweetspot.plan.nccl_variables import kinds, suggestion, version
from sweetspot.plan.versions import Version, dotted

LEVELS = ("LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS")
_INTEGER = re.compile(r"[+-]?(0|[1-9][0-9]*|0x[0-9a-fA-F]+)")
_RANGES = {
    "NCCL_NVLS_ENABLE": (0, 2),
    "NCCL_CUMEM_ENABLE": (-2, 1),
    "NCCL_P2P_DISABLE": (0, 1),
    "NCCL_SHM_DISABLE": (0, 1),
    "NCCL_MIN_NCHANNELS": (1, 64),
    "NCCL_MAX_NCHANNELS": (1, 64),
    "NCCL_NTHREADS": (64, 512),
    "NCCL_LL128_NTHREADS": (160, 640),
}
_WARP = 32  # threads

# Which algorithms a host has for the two collectives of a forward pass: all-reduce, and all-gather of logits.
_SERVED = {"AllReduce": {"Ring", "Tree"}, "AllGather": {"Ring"}}
_BUFFERED = "Simple"  # the one protocol that uses the main buffer, and the one that NVLS has


def check_nccl(where: str, args: Args, env: Env, nccl: str | None) -> None:
    """Raise if NCCL would not do what the variables of a launch ask it to.

    Args:
        where: Of the variant, for the error.
        args: Its merged server arguments.
        env: Its merged environment, as the server's processes will have it.
        nccl: NCCL's version, None where it is not known.

    Raises:
        StudyError: With the rule and the remedy.
    """
    names = sorted(name for name in env if name.startswith("NCCL_"))
    if not names:
        return
    at = version(None if "SGLANG_NCCL_SO_PATH" in env else nccl)  # another library than the package's
    for name in names:
        _check_value(f"{where}: {name}={env[name]}", name, env[name], at)
    _check_served(where, args, env)


def _check_value(where: str, name: str, value: str, at: Version) -> None:
    kind = kinds(at).get(name)
    if kind is None:
        meant = suggestion(name, at)
        raise StudyError(
            f"{where}: no variable of NCCL {dotted(at)}, which ignores it without a word, "
            f"expected one that it reads; {f'did you mean {meant}' if meant else 'remove it'}"
        )
    if not value:
        raise StudyError(f"{where}: empty, which NCCL takes for absent, expected a value; remove {name}")
    if kind == "integer":
        _check_integer(where, name, value)
    if kind == "level":
        _check_level(where, value)
    if kind in ("algorithms", "protocols"):
        try:
            read_list(name, value)
        except StudyError as error:
            raise StudyError(f"{where.partition(f': {name}=')[0]}: {error}") from None


def _check_integer(where: str, name: str, value: str) -> None:
    if not _INTEGER.fullmatch(value):
        digits = re.match(r"\s*[+-]?(0x[0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)", value)
        raise StudyError(
            f"{where}: NCCL reads {_c_integer(digits[0] if digits else '0')}, expected an integer; "
            "write the number that you mean in digits, without a unit"
        )
    low, high = _RANGES.get(name, (-(2**63), 2**63 - 1))
    number = int(value, 0)
    if not low <= number <= high:
        raise StudyError(f"{where}: expected {low} to {high}, to which NCCL clips it; write one of those")
    if name in ("NCCL_NTHREADS", "NCCL_LL128_NTHREADS") and number % _WARP:
        raise StudyError(
            f"{where}: expected a multiple of {_WARP}, or NCCL takes its maximum; "
            f"write {number // _WARP * _WARP}"
        )


def _c_integer(digits: str) -> int:
    """Return what C's strtoll makes of *digits*, to which a leading nought is octal."""
    text = digits.strip()
    octal = re.fullmatch(r"([+-]?)0([0-7]+)", text)
    return int(octal[1] + octal[2], 8) if octal else int(text, 0)


def _check_level(where: str, value: str) -> None:
    if value not in LEVELS:
        meant = value.upper() if value.upper() in LEVELS else ""
        raise StudyError(
            f"{where}: expected one of {', '.join(LEVELS)} in capitals, since NCCL ignores any other "
            "without a word; "
            f"{f'write {meant}' if meant else 'write one of those'}"
        )


def _check_served(where: str, args: Args, env: Env) -> None:
    """Raise if an all-reduce or an all-gather is left without an algorithm, or a buffer without its user."""
    nvls = env.get("NCCL_NVLS_ENABLE", "0") != "0" or args.keys() & {"enable-nccl-nvls", "enable-symm-mem"}
    asked = " ".join(f"{name}={env[name]}" for name in ("NCCL_ALGO", "NCCL_PROTO") if name in env)
    buffered = False
    for collective, served in _SERVED.items():
        algorithms, protocols = allowed(env, collective)
        by_switch = {"NVLS"} if nvls and _BUFFERED in protocols else set()
        buffered |= _BUFFERED in protocols
        if protocols and algorithms & (served | by_switch):
            continue
        listed = env.get("NCCL_ALGO", "")
        bare = collective == "AllGather" and ":" not in listed
        raise StudyError(
            f"{where}: {asked} leaves no algorithm for {collective}, expected {' or '.join(sorted(served))} "
            "there (NVLS needs NCCL_NVLS_ENABLE, which SGLang sets to 0), or NCCL ends the server; "
            + (f"write NCCL_ALGO=allreduce:{listed.lower()}" if bare else "allow one of those")
        )
    if "NCCL_BUFFSIZE" in env and not buffered:
        raise StudyError(
            f"{where}: NCCL_BUFFSIZE beside {asked}, expected {_BUFFERED} among the protocols, the one whose "
            "buffer it sizes; remove it"
        )
