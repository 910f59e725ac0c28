"""Makes models and prompts ready before a server starts, by the engine's Python, which has torch."""

import fcntl
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sweetspot.errors import ModelError
from sweetspot.models import prompts
from sweetspot.models.folders import ROLES, check_downloaded, resolve
from sweetspot.models.identity import identity
from sweetspot.models.spec import CONSTRUCTION

CONSTRUCTED = Path(".models")  # a folder for each spec; not in results/, since studies share it
_PROJECT = Path(__file__).resolve().parents[2]


def describe(models: Mapping[str, Any], may_be_absent: bool = False) -> dict[str, Any]:
    """Return what the models of a study are, before anything is made.

    Args:
        models: The study's `models`.
        may_be_absent: Whether the study is only to be planned, for which no model is needed.

    Returns:
        The spec of a constructed pair; of other models the `identity` of each, null if it is absent.

    Raises:
        ModelError: If one of them is not there.
    """
    if "constructed" in models:
        return {"constructed": models["constructed"], "construction": CONSTRUCTION}
    folders = resolve(models, CONSTRUCTED)
    if may_be_absent:
        return {role: identity(place) if place.is_dir() else None for role, place in folders.items()}
    for role in ROLES:
        check_downloaded(models[role])
    return {role: identity(folder) for role, folder in folders.items()}


def find(models: Mapping[str, Any], python: Path | None) -> dict[str, Any]:
    """Return where target and draft lie and what they are, after constructing the pair if it is to be.

    Args:
        models: The study's `models`.
        python: The engine's interpreter, None if it has no torch.

    Returns:
        `constructed` (the spec, or null), and for `target` and `draft` the folder and the `identity`.

    Raises:
        ModelError: If a model is missing, or the pair can't be constructed.
    """
    folders = resolve(models, CONSTRUCTED)
    constructed = models.get("constructed")
    if constructed:
        _construct(constructed, folders["target"].parent, python)
    found = {role: {"folder": str(folders[role]), **identity(folders[role])} for role in ROLES}
    return {"constructed": constructed, **found}


def tokenize(
    section: Mapping[str, Any], target: Path, python: Path | None, trust_remote_code: bool, out: Path
) -> None:
    """Write `{id, input_ids}` a line for the prompts of a study.

    Args:
        section: The study's `prompts`.
        target: Folder of the target, whose tokenizer is used.
        python: The engine's interpreter, None if it has no tokenizers.
        trust_remote_code: Whether a tokenizer may bring code of its own.
        out: The file.

    Raises:
        ModelError: If the prompts file is wrong, or does not suit the target.
    """
    read = prompts.read(Path(section["file"]), section["sha256"])
    if python is None:
        if texts := [prompt.id for prompt in read if prompt.kind != "input_ids"]:
            raise ModelError(
                f"prompt {texts[0]}: no input_ids, expected them for an engine without a tokenizer; give them"
            )
        lines = [json.dumps({"id": prompt.id, "input_ids": prompt.content}) for prompt in read]
        out.write_text("\n".join(lines) + "\n")
        return
    options = ["--prompts", section["file"], "--sha256", section["sha256"], "--model", target, "--out", out]
    if section["chat_template"] is not None:
        options += ["--chat-template", section["chat_template"]]
    if section["thinking"] is not None:
        options += ["--thinking", json.dumps(section["thinking"])]
    _call(python, "sweetspot.models.tokenize_prompts", *options, *["--trust-remote-code"] * trust_remote_code)


def _construct(constructed: Mapping[str, Any], pair: Path, python: Path | None) -> None:
    """Construct the pair unless it is there. Whoever comes first does, under a lock file; others wait.

    With an output cache it is made there, for all clones, and linked to: its name tells all that it is of.
    """
    if python is None:
        raise ModelError(
            "models.constructed: an engine without torch, expected one to construct with; name models"
        )
    options = ["--spec", json.dumps(constructed)]
    cache = os.environ.get("SNAKEMAKE_OUTPUT_CACHE")
    with _alone(pair):
        if pair.exists():
            return
        if cache is None:
            _call(python, "sweetspot.models.construct", "--out", pair, *options)
            return
        shared = Path(cache, "models", pair.name).absolute()
        if not shared.exists():
            with _alone(shared):
                if not shared.exists():
                    _call(python, "sweetspot.models.construct", "--out", shared, *options)
        pair.unlink(missing_ok=True)  # a link into a cache that is gone
        pair.symlink_to(shared)


@contextmanager
def _alone(pair: Path) -> Iterator[None]:
    """Keep every other process from making *pair*."""
    pair.parent.mkdir(exist_ok=True)
    with pair.with_name(f"{pair.name}.lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        yield


def _call(python: Path, module: str, *options: str | Path) -> None:
    """Run one of our modules under the engine's Python.

    Raises:
        ModelError: With what it said last, if it fails.
    """
    alone = {"PYTHONPATH": str(_PROJECT), "HF_HUB_OFFLINE": "1", "TRANSFORMERS_VERBOSITY": "error"}
    answer = subprocess.run(
        [python, "-m", module, *options], env=os.environ | alone, capture_output=True, text=True
    )
    if answer.returncode != 0:
        said = answer.stderr.strip().splitlines() or [f"exit status {answer.returncode}"]
        raise ModelError(said[-1])
