"""Which all-reduces a forward pass of the target does: how many, and how large at each load. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sweetspot.errors import ModelError

_BYTES = {"bfloat16": 2, "float16": 2, "half": 2, "float32": 4, "float": 4}
_TEXT = ("text_config", "llm_config", "language_config")  # where a model of several modes keeps its own


@dataclass(frozen=True)
class Shape:
    """What of a target decides its all-reduces."""

    hidden_size: int
    layers: int
    dtype: str  # of the activations

    @property
    def all_reduces(self) -> int:
        """Of a forward pass: after the embedding, and after attention and after the MLP of each layer.

        ASSUME: tensor parallelism alone, without attention by data or experts by rank.
        """
        return 2 * self.layers + 1

    def bytes(self, tokens: int) -> int:
        """Return the size of the message that sums the activations of so many *tokens*."""
        return self.hidden_size * _BYTES[self.dtype] * tokens


@dataclass(frozen=True)
class Message:
    """One size that a study's target sends."""

    draft_tokens: int  # that it verifies of each request in a pass; 1 in a plain decode
    load: int  # requests in flight
    rows: int  # of the pass, those that a CUDA graph adds included
    bytes: int


def shape(config: Mapping[str, Any], dtype: object) -> Shape:
    """Return the shape of the target whose config.json is *config*.

    Args:
        config: The content of config.json.
        dtype: SGLang's flag, None or `auto` for what the model says itself.

    Raises:
        ModelError: If it does not say how large it is.
    """
    text = next((config[key] for key in _TEXT if key in config), config)
    named = text.get("dtype") or text.get("torch_dtype") or config.get("torch_dtype") or "bfloat16"
    found = str(named if dtype in (None, "auto") else dtype)
    try:
        return Shape(int(text["hidden_size"]), int(text["num_hidden_layers"]), _known(found))
    except KeyError as error:
        raise ModelError(
            f"config.json: no {error}, expected the target's shape; name a model in Hugging Face's format"
        ) from None


def messages(
    of: Shape, draft_tokens: Iterable[int], loads: Sequence[int], graph_sizes: Sequence[int]
) -> list[Message]:
    """Return each message of a study once, by draft tokens and load.

    Args:
        of: The target's shape.
        draft_tokens: What its variants verify, 1 for the baseline.
        loads: Of the study.
        graph_sizes: Batch sizes of the CUDA graphs, to which a batch is filled up; empty without graphs.
    """
    return [
        Message(
            tokens, load, _filled(load, graph_sizes) * tokens, of.bytes(_filled(load, graph_sizes) * tokens)
        )
        for tokens in sorted(set(draft_tokens))
        for load in loads
    ]


def graph_sizes(resolved: Mapping[str, Any]) -> list[int]:
    """Return the batch sizes of a server's CUDA graphs for decode, as it says itself; none if off."""
    decode = (resolved.get("cuda_graph_config") or {}).get("decode")
    if decode is not None:
        return [] if decode["backend"] == "disabled" else list(decode["bs"] or [])
    return [] if resolved.get("disable_cuda_graph") else list(resolved.get("cuda_graph_bs") or [])


def _filled(load: int, graph_sizes: Sequence[int]) -> int:
    return min((size for size in graph_sizes if size >= load), default=load)


def _known(dtype: str) -> str:
    if dtype not in _BYTES:
        raise ModelError(
            f"dtype: {dtype!r}, expected one of {', '.join(_BYTES)}; set it in the engine's args"
        )
    return dtype
