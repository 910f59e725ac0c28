"""A constructed pair is made once, by whoever comes first, and with an output cache once for all clones."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from sweetspot.models import prepare, spec

# As an engine's Python that constructs; it counts how often.
PYTHON = """#!/bin/sh
echo "$4" >>"$(dirname "$0")/made"
for role in target draft; do
    mkdir -p "$4/$role"
    echo "{}" >"$4/$role/config.json"
    printf '\\002\\0\\0\\0\\0\\0\\0\\0{}' >"$4/$role/model.safetensors"
done
"""
PAIR: dict[str, Any] = {"shape": "tiny", "acceptance": [0.75], "seed": 0}


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The interpreter."""
    path = tmp_path / "python"
    path.write_text(PYTHON)
    path.chmod(0o755)
    return path


def find(pair: dict[str, Any], clone: Path, python: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return the models of a study in *clone*."""
    clone.mkdir(exist_ok=True)
    monkeypatch.chdir(clone)
    return prepare.find({"constructed": pair}, python)


def made(python: Path) -> list[str]:
    """Return where pairs were constructed."""
    return (python.parent / "made").read_text().split()


def test_without_a_cache_each_clone_has_its_own(
    tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second study of the clone takes what is there."""
    monkeypatch.delenv("SNAKEMAKE_OUTPUT_CACHE", raising=False)

    for clone in ("a", "a", "b"):
        find(PAIR, tmp_path / clone, python, monkeypatch)

    assert len(made(python)) == 2


@pytest.mark.parametrize("change", [{}, {"acceptance": [0.7]}, {"seed": 1}, {"shape": "1b"}, "construction"])
def test_a_cache_shares_equal_pairs_and_no_others(
    tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any] | str
) -> None:
    """The second clone finds the pair of the first, unless anything that it is made from differs."""
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("SNAKEMAKE_OUTPUT_CACHE", str(tmp_path / "cache"))
    first = find(PAIR, tmp_path / "a", python, monkeypatch)
    if change == "construction":
        monkeypatch.setattr(spec, "CONSTRUCTION", spec.CONSTRUCTION + 1)

    second = find(PAIR | change if isinstance(change, dict) else PAIR, tmp_path / "b", python, monkeypatch)

    assert len(made(python)) == (2 if change else 1)
    assert (first["target"] == second["target"]) is (not change)


def test_a_cache_that_is_gone(tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pair is made anew, where the cache is now."""
    for place in ("old", "new"):
        (tmp_path / place).mkdir()
        monkeypatch.setenv("SNAKEMAKE_OUTPUT_CACHE", str(tmp_path / place))
        find(PAIR, tmp_path / "a", python, monkeypatch)
        if place == "old":
            (tmp_path / "old").rename(tmp_path / "elsewhere")

    assert len(made(python)) == 2


def test_many_at_once(tmp_path: Path, python: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of several that need the pair at once, one makes it and the others wait."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SNAKEMAKE_OUTPUT_CACHE", raising=False)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: prepare.find({"constructed": PAIR}, python), range(8)))

    assert len(made(python)) == 1
    assert all(models == found[0] for models in found)
