"""What a study may not set because the tool sets it, and how the flags that it sets are written."""

from collections.abc import Iterable

from sweetspot.errors import StudyError

_FREE_PORT = "remove it, since each server gets a free port of this host"
_ONE_KEY = "remove it, since each server gets a key of its own"
_ARRIVALS = "remove it, since the cycles are read from how tokens arrive"

OWNED_FLAGS = {
    "model-path": "use models.target",
    "model": "use models.target",
    "revision": "use models.target.revision",
    "tp-size": "use tp_size",
    "tp": "use tp_size",
    "tensor-parallel-size": "use tp_size",
    "disable-radix-cache": "use radix_cache",
    "speculative-algorithm": "use speculation.algorithm",
    "speculative-num-steps": "use speculation.num_steps",
    "speculative-eagle-topk": "use speculation.trees",
    "speculative-num-draft-tokens": "use speculation.trees",
    "speculative-draft-model-path": "use models.draft",
    "speculative-draft-model-revision": "use models.draft.revision",
    "host": _FREE_PORT,
    "port": _FREE_PORT,
    "nccl-port": _FREE_PORT,
    "api-key": _ONE_KEY,
    "admin-api-key": _ONE_KEY,
    "enable-metrics": "remove it, since it is always on",
    "stream-interval": _ARRIVALS,
    "stream-output": _ARRIVALS,
    "incremental-streaming-output": _ARRIVALS,
    "config": "write its arguments here, since the plan has to know them",
}
# how verify and draft are served, in every variant alike: what a quantised or MLA target's draft may need
_SERVES_DRAFT = frozenset(
    {
        *("speculative-attention-mode", "speculative-draft-attention-backend"),
        *("speculative-draft-model-quantization", "speculative-moe-a2a-backend"),
        "speculative-moe-runner-backend",
    }
)
_OTHER_SPECULATIVE = "remove it, since only the keys of speculation shape a variant"

_PROBED = "remove it, since it costs a timed run time and the probe of each NCCL variant sets it"
OWNED_ENV = {
    "PYTHONPATH": "remove it, since the runner puts the server's plugins there",
    "NCCL_DEBUG": _PROBED,
    "NCCL_DEBUG_SUBSYS": _PROBED,
    "NCCL_DEBUG_FILE": _PROBED,
    "NCCL_CONF_FILE": "write its variables here, since the plan has to know them",
}
_SIMULATED = (
    "remove it, since simulated acceptance makes garbage of the text and a ranking of it means nothing"
)


def check_flags(where: str, flags: Iterable[str]) -> None:
    """Raise for the first of *flags* that the tool sets itself.

    Raises:
        StudyError: With the study's own key for it.
    """
    for flag in flags:
        remedy = OWNED_FLAGS.get(flag)
        if remedy is None and flag.startswith("speculative-") and flag not in _SERVES_DRAFT:
            remedy = _OTHER_SPECULATIVE
        if remedy is not None:
            raise StudyError(f"{where}.{flag}: a flag that sweetspot sets, expected it absent; {remedy}")


def check_env(where: str, names: Iterable[str]) -> None:
    """Raise for the first of *names* that the tool sets itself, or that fakes the result.

    Raises:
        StudyError: With the reason.
    """
    for name in names:
        if name in OWNED_ENV:
            raise StudyError(
                f"{where}.{name}: a variable that sweetspot sets, expected it absent; {OWNED_ENV[name]}"
            )
        if name.startswith("SGLANG_SIMULATE_"):
            raise StudyError(f"{where}.{name}: a simulation, expected it absent; {_SIMULATED}")


def words(value: object) -> list[str]:
    """Return what stands behind a flag of this *value*: 8, "8" and [8] are alike, true is nothing."""
    if value is True:
        return []
    return [str(item) for item in (value if isinstance(value, list) else [value])]
