"""Imports point one way, and `run` works where only the standard library and httpx are installed."""

import ast
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "sweetspot"
# each may import itself and what stands to its right
LAYERS = [
    "cli",
    "workflow",
    "publish",
    "asked",
    "study",
    "published",
    "render",
    "analyse",
    "measure",
    "run",
    "engine",
    "host",
    "models",
    "plan",
    "errors",
]
SIDE_BY_SIDE = {"engine", "host", "models"}  # on one level
HTTPX = ["httpx", "httpcore", "h11", "anyio", "idna", "certifi", "typing_extensions"]


def modules() -> list[Path]:
    """Return the modules of the package, but for what runs inside SGLang."""
    return [path for path in PACKAGE.rglob("*.py") if "site" not in path.parts]


def layer_of(module: str) -> str:
    """Return the layer of a dotted name like `sweetspot.run.record`."""
    return module.split(".")[1]


def imports_of(path: Path) -> list[str]:
    """Return the modules of ours that a source imports, at its top or inside a function."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            module = str(node.module)
            found += [f"sweetspot.{a.name}" for a in node.names] if module == "sweetspot" else [module]
    return [name for name in found if name.startswith("sweetspot.")]


def backwards(layer: str, imported: list[str]) -> list[str]:
    """Return the imports that point against the layers."""
    allowed = set(LAYERS[LAYERS.index(layer) :])
    if layer in SIDE_BY_SIDE:
        allowed -= SIDE_BY_SIDE - {layer}
    return [name for name in imported if layer_of(name) not in allowed]


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path: Path) -> None:
    """No module imports from a layer above its own."""
    layer = path.relative_to(PACKAGE).with_suffix("").parts[0]

    assert layer == "__init__" or backwards(layer, imports_of(path)) == []


def test_a_backward_import_is_found() -> None:
    """The check itself tells right from wrong."""
    assert backwards("run", ["sweetspot.engine.base", "sweetspot.errors"]) == []
    assert backwards("run", ["sweetspot.measure.tables"]) == ["sweetspot.measure.tables"]
    assert backwards("host", ["sweetspot.models.identity"]) == ["sweetspot.models.identity"]


def test_run_needs_nothing_but_httpx(tmp_path: Path) -> None:
    """`run`, `probe` and `allreduce` start on a machine with the standard library and httpx alone."""
    for name in HTTPX:
        place = Path(str(importlib.util.find_spec(name).origin))  # type: ignore[union-attr]
        place = place.parent if place.name == "__init__.py" else place
        (tmp_path / place.name).symlink_to(place)
    program = "from sweetspot import cli; cli.parser()\n"
    program += "import sweetspot.run.runner, sweetspot.run.probe, sweetspot.run.allreduce"
    bare = {"PYTHONPATH": f"{tmp_path}:{PACKAGE.parent}"}

    started = subprocess.run([sys.executable, "-S", "-c", program], env=bare, capture_output=True, text=True)

    assert started.stderr == ""


@pytest.mark.parametrize(
    ("modules", "library"),
    [
        ("sweetspot.analyse.banner, sweetspot.analyse.table_file", "scipy"),
        ("sweetspot.render.figures, sweetspot.analyse.table_file", "scipy"),
        ("sweetspot.measure.tables", "httpx"),
    ],
)
def test_a_verb_loads_what_it_uses(modules: str, library: str) -> None:
    """Each rule starts a process, and a library that takes as long to load as all its work is not loaded."""
    program = f"import {modules}, sys; sys.exit({library!r} in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
