"""Tells which model a folder holds, from samples of its weights."""

import hashlib
import json
from pathlib import Path
from typing import Any

from sweetspot.errors import ModelError

# What makes the same weights behave differently: configs, indexes, tokenizers, chat templates, a model's own
# code.
_READ_WHOLE = (
    "config.json",
    "generation_config.json",
    "*.index.json",
    "*token*.json",
    "*.tiktoken",
    "*.model",
    "vocab*",
    "merges.txt",
    "chat_template*",
    "*.py",
)
_WEIGHTS = ("*.safetensors", "*.bin", "*.pt", "*.pth")
_INDEXES = ("*.safetensors.index.json", "*.bin.index.json")
_LARGEST_HEADER_BYTES = 100_000_000  # safetensors' own limit
_BLOCKS = 32
_BLOCK_BYTES = 1 << 16


def identity(folder: Path) -> dict[str, Any]:
    """Return what tells the model in *folder* from any other.

    Returns:
        `files` (name: sha256 of the whole) and `weights` (name: `size_bytes`, `header_sha256`, null where the
        file is not safetensors, and `sample_sha256`, of blocks spread over the file: two trainings of one
        model have the same header, and hundreds of gigabytes are not read at each start).

    Raises:
        ModelError: If the folder, its config or weights are missing, or a weights file is cut short.
    """
    if not folder.is_dir():
        raise ModelError(f"{folder}: no such folder, expected a model; correct the study or make the model")
    if not (folder / "config.json").is_file():
        raise ModelError(
            f"{folder}: no config.json, expected a model in Hugging Face's format; name its folder"
        )
    weights = _matching(folder, _WEIGHTS)
    for index in _matching(folder, _INDEXES):
        weights += [folder / name for name in _indexed(index)]
    if not weights:
        raise ModelError(
            f"{folder}: no weights, expected {' or '.join(_WEIGHTS)}; download the model in full"
        )
    return {
        "files": {file.name: _sha256(file.read_bytes()) for file in _matching(folder, _READ_WHOLE)},
        "weights": {file.name: _weights_identity(file) for file in sorted(set(weights))},
    }


def _matching(folder: Path, patterns: tuple[str, ...]) -> list[Path]:
    return sorted({file for pattern in patterns for file in folder.glob(pattern) if file.is_file()})


def _indexed(index: Path) -> set[str]:
    try:
        return set(json.loads(index.read_text())["weight_map"].values())
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ModelError(f"{index}: no weight_map, expected a weights index; download it again") from None


def _weights_identity(file: Path) -> dict[str, Any]:
    if not file.is_file():
        raise ModelError(f"{file}: missing, expected because the index names it; download the model in full")
    size_bytes = file.stat().st_size
    if file.suffix != ".safetensors":
        return {"size_bytes": size_bytes, "header_sha256": None, "sample_sha256": _sample(file)}
    with file.open("rb") as opened:
        header = opened.read(min(int.from_bytes(opened.read(8), "little"), _LARGEST_HEADER_BYTES))
    expected_bytes = 8 + len(header) + _data_bytes(file, header)
    if size_bytes != expected_bytes:
        raise ModelError(
            f"{file}: {size_bytes} bytes, expected {expected_bytes} by its header; download it again"
        )
    return {"size_bytes": size_bytes, "header_sha256": _sha256(header), "sample_sha256": _sample(file)}


def _sample(file: Path) -> str:
    """Return a hash of evenly spread blocks of *file*, the first and the last among them."""
    last = max(file.stat().st_size - _BLOCK_BYTES, 0)
    digest = hashlib.sha256()
    with file.open("rb") as opened:
        for block in range(_BLOCKS):
            opened.seek(last * block // (_BLOCKS - 1))
            digest.update(opened.read(_BLOCK_BYTES))
    return digest.hexdigest()


def _data_bytes(file: Path, header: bytes) -> int:
    try:
        tensors = {name: entry for name, entry in json.loads(header).items() if name != "__metadata__"}
        return max((int(entry["data_offsets"][1]) for entry in tensors.values()), default=0)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ModelError(f"{file}: no safetensors header, expected one; download it again") from None


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
