"""Finds the folders of the models that a study names."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sweetspot.errors import ModelError
from sweetspot.models.spec import spec

ROLES = ("target", "draft")


def resolve(models: Mapping[str, Any], constructed_root: Path) -> dict[str, Path]:
    """Return the folder of the `target` and of the `draft`, there or not.

    Args:
        models: The study's `models`.
        constructed_root: Where constructed pairs lie.

    Raises:
        ModelError: If the spec of a constructed pair is wrong.
    """
    if "constructed" in models:
        pair = constructed_root / spec(models["constructed"]).name
        return {role: pair / role for role in ROLES}
    return {role: _named(models[role]) for role in ROLES}


def check_downloaded(model: Mapping[str, Any]) -> None:
    """Raise unless there is a folder for *model*, the `target` or the `draft` of a study's `models`.

    Raises:
        ModelError: With how to get it.
    """
    folder = _named(model)
    if folder.is_dir():
        return
    if "path" in model:
        raise ModelError(
            f"{folder}: no such folder, expected a model; download it there, or correct the study"
        )
    name, revision = model["hub"], model["revision"]
    raise ModelError(
        f"{folder}: not there, expected {name} at this revision; "
        f"download it with `huggingface-cli download {name} --revision {revision}`"
    )


def _named(model: Mapping[str, Any]) -> Path:
    if "path" in model:
        return Path(model["path"])
    name, revision = str(model["hub"]), str(model["revision"])
    return _hub_cache() / f"models--{name.replace('/', '--')}" / "snapshots" / revision


def _hub_cache() -> Path:
    """Return the folder that huggingface_hub downloads to."""
    if cache := os.environ.get("HF_HUB_CACHE"):
        return Path(cache).expanduser()
    caches = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return Path(os.environ.get("HF_HOME", f"{caches}/huggingface")).expanduser() / "hub"
