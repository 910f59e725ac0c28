"""Writes a safetensors file tensor by tensor, so that a model never lies in memory as a whole.

The safetensors library writes what it holds all at once, in a second copy. Needs torch.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

_DTYPES = {torch.bfloat16: "BF16", torch.int64: "I64", torch.bool: "BOOL"}


@dataclass(frozen=True)
class Weight:
    """A tensor that is made when it is written."""

    name: str
    shape: tuple[int, ...]
    make: Callable[[], Tensor]
    dtype: torch.dtype = torch.bfloat16


def write(weights: Sequence[Weight], metadata: Mapping[str, str], path: Path) -> None:
    """Write *weights*, in this order, and *metadata* to *path*."""
    header: dict[str, object] = {"__metadata__": dict(metadata)}
    end = 0
    for weight in weights:
        start, end = end, end + math.prod(weight.shape) * weight.dtype.itemsize
        dtype = _DTYPES[weight.dtype]
        header[weight.name] = {"dtype": dtype, "shape": list(weight.shape), "data_offsets": [start, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # the data begin at a multiple of 8
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little"))
        file.write(text)
        for weight in weights:
            tensor = weight.make().cpu().contiguous()
            if (tensor.shape, tensor.dtype) != (weight.shape, weight.dtype):
                raise ValueError(f"{weight.name}: {tensor.shape} {tensor.dtype}, expected {weight}")
            file.write(tensor.flatten().view(torch.uint8).numpy())
