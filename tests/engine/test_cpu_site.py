"""Tests of `sweetspot/engine/cpu/site`, but for its ops: what a Python with it on PYTHONPATH does."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sweetspot.engine.cpu import SITE


def _run(code: str, *further: Path) -> str:
    """Return what *code* prints with the site and *further* folders on PYTHONPATH."""
    path = os.pathsep.join(map(str, (SITE, *further)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class TestStandIns:
    """Tests of `stand_ins`."""

    def test_kernels_import_and_stay_plain_functions(self) -> None:
        """Decorators of an absent triton change nothing, whether they take arguments or not."""
        printed = _run(
            "import triton, triton.language as tl\n"
            "from triton.language.extra import libdevice\n"
            "@triton.jit\n"
            "def kernel(x, BLOCK: tl.constexpr): return x\n"
            "@triton.autotune(configs=[triton.Config({'BLOCK': 2}, num_warps=4)], key=['x'])\n"
            "@triton.jit(do_not_specialize=['x'])\n"
            "def tuned(x): return x\n"
            "print(kernel(3, 1), tuned(4), tl.constexpr(5).value)\n"
            "print(triton.cdiv(7, 2), triton.next_power_of_2(5))"
        )

        assert printed == "3 4 5\n4 8\n"

    def test_classes_can_be_derived_from_and_have_members(self) -> None:
        """A capitalised name is a class, and stays the same one."""
        printed = _run(
            "from torchvision.transforms import InterpolationMode\n"
            "from triton.runtime.jit import JITFunction\n"
            "import torchvision\n"
            "class Own(JITFunction): pass\n"
            "print(InterpolationMode.BICUBIC, torchvision.transforms.InterpolationMode is InterpolationMode)"
        )

        assert printed == "InterpolationMode.BICUBIC True\n"

    def test_what_is_only_named_raises_when_it_is_called(self) -> None:
        """A function that is not offered can be imported; called, it says its name."""
        printed = _run(
            "from datasets import load_dataset\n"
            "try: load_dataset('mine', split='test')\n"
            "except NotImplementedError as error: print(error)"
        )

        assert printed.startswith("datasets.load_dataset: called, expected")

    def test_an_installed_package_is_left_alone(self, tmp_path: Path) -> None:
        """Where triton is installed it is imported, and what it lacks stays missing."""
        package = tmp_path / "triton"
        package.mkdir()
        (package / "__init__.py").write_text("real = True\n")

        printed = _run(
            "import triton, datasets\n"
            "try: import triton.language\n"
            "except ModuleNotFoundError as error: print(triton.real, error)",
            tmp_path,
        )

        assert printed == "True No module named 'triton.language'\n"

    @pytest.mark.parametrize("package", ["tritonx", "torchvision_extra", "pandas_of_no_one"])
    def test_nothing_else_is_stood_in_for(self, package: str) -> None:
        """A package that is not on the list stays missing."""
        printed = _run(f"import importlib.util\nprint(importlib.util.find_spec({package!r}))")

        assert printed == "None\n"


class TestSitecustomize:
    """Tests of `sitecustomize`."""

    def test_the_next_one_runs_too(self, tmp_path: Path) -> None:
        """A sitecustomize further down the path is not hidden, and it runs once."""
        (tmp_path / "sitecustomize.py").write_text("print('next')\n")

        printed = _run("import triton\nprint('code')", tmp_path)

        assert printed == "next\ncode\n"


class TestPlugin:
    """Tests of `sweetspot_cpu`."""

    def test_sglang_finds_it_and_is_told_of_amx(self, tmp_path: Path) -> None:
        """The entry point loads a function that overrides this one fact for good."""
        package = tmp_path / "sglang" / "srt"
        package.mkdir(parents=True)
        (package / "runtime_context.py").write_text(
            "class override_platform:\n"
            "    def __init__(self, **facts): self.facts = facts\n"
            "    def install(self): print('installed', self.facts)\n"
        )

        printed = _run(
            "from importlib.metadata import entry_points\n"
            "for plugin in entry_points(group='sglang.srt.plugins'): plugin.load()()",
            tmp_path,
        )

        assert printed == "installed {'has_amx': True}\n"


def test_imports_the_standard_library_and_torch_only() -> None:
    """The site runs inside the server: nothing of ours, and SGLang only where it plugs in."""
    own = {"sgl_kernel", "stand_ins"}
    for file in SITE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            packages = {name.partition(".")[0] for name in names}
            allowed = sys.stdlib_module_names | own | {"torch"}
            allowed |= {"sglang"} if file.name == "sweetspot_cpu.py" else set()
            assert packages <= allowed, file


def test_holds_what_the_server_should_import_and_no_more() -> None:
    """Every name at the top of the site becomes importable in the server."""
    names = {path.name for path in SITE.iterdir() if path.name != "__pycache__"}

    assert names == {
        "sgl_kernel",
        "sitecustomize.py",
        "stand_ins.py",
        "sweetspot_cpu.py",
        "sweetspot_cpu-1.dist-info",
    }
