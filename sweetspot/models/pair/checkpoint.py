"""Reads what a model's files say of themselves: its config, and which tensors of which shape it holds.

Standard library only; no weights are read but the small maps that `numbers` is asked for.
"""

import json
import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sweetspot.errors import ModelError

_CODES = {"I64": "q", "I32": "i", "BOOL": "b"}
_BITS = {"F64": 64, "I64": 64, "F32": 32, "I32": 32, "BF16": 16, "F16": 16, "I16": 16, "F4": 4}  # others: 8


@dataclass(frozen=True)
class Tensor:
    """Where a tensor lies, and its form."""

    dtype: str
    shape: tuple[int, ...]
    file: Path
    start: int  # of its data in the file, in bytes


@dataclass(frozen=True)
class Checkpoint:
    """A model's folder, as its config and its safetensors headers describe it."""

    folder: Path
    config: dict[str, Any]
    tensors: dict[str, Tensor]  # none, if its weights are not in safetensors
    weight_bytes: int

    @property
    def architecture(self) -> str:
        """SGLang's class for it, by name."""
        return str((self.config.get("architectures") or ["none"])[0])

    @property
    def text(self) -> dict[str, Any]:
        """The part of the config that shapes the language model."""
        nested: dict[str, Any] = self.config.get("text_config") or self.config
        return nested

    def size(self, key: str) -> int:
        """Return the whole number under *key* of the language model's config.

        Raises:
            ModelError: If there is none.
        """
        found = self.text.get(key)
        if not isinstance(found, int):
            raise ModelError(
                f"{self.folder}/config.json: {key} {found!r}, expected a whole number; download it again"
            )
        return found

    def numbers(self, tensor: str) -> list[int]:
        """Return the whole numbers of *tensor*, a small one of one dimension."""
        found = self.tensors[tensor]
        values = array(_CODES[found.dtype])
        with found.file.open("rb") as file:
            file.seek(found.start)
            values.frombytes(file.read(math.prod(found.shape) * values.itemsize))
        return list(values)


def read(folder: Path, overrides: Mapping[str, Any] | None = None) -> Checkpoint:
    """Return what the files in *folder* say.

    Args:
        folder: A folder that `identity` accepted.
        overrides: What `json-model-override-args` puts over the config.

    Raises:
        ModelError: If the config is no JSON object.
    """
    place = folder / "config.json"
    try:
        config = {**json.loads(place.read_text()), **(overrides or {})}
    except (ValueError, TypeError):
        raise ModelError(f"{place}: not a JSON object, expected a config; download it again") from None
    tensors: dict[str, Tensor] = {}
    for file in sorted(folder.glob("*.safetensors")):
        tensors |= _tensors(file)
    if tensors:
        weight_bytes = sum(math.prod(t.shape) * _BITS.get(t.dtype, 8) // 8 for t in tensors.values())
    else:
        weight_bytes = sum(file.stat().st_size for file in folder.iterdir() if file.suffix in {".bin", ".pt"})
    return Checkpoint(folder, config, tensors, weight_bytes)


def _tensors(file: Path) -> dict[str, Tensor]:
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        header = json.loads(opened.read(length))
    return {
        name: Tensor(entry["dtype"], tuple(entry["shape"]), file, 8 + length + entry["data_offsets"][0])
        for name, entry in header.items()
        if name != "__metadata__"
    }
