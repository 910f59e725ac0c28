"""The flake evaluates as a whole, and does not once it, a lock or a folder of envs/ is wrong.

Nix itself judges, against the stand-in for nixpkgs beside this file, which has the names that the flake takes
from there, and builds nothing.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SYSTEM = "x86_64-linux"
NIX_CONFIG = """
experimental-features = nix-command flakes
substituters =
flake-registry =
build-users-group =
"""
PATCHELF = """#!/bin/sh
case $1 in
--set-rpath) printf ELF%s "$2" >"$3" ;;
--print-rpath) sed -n '/^ELF/!q1; s/^ELF//p' "$2" ;;
esac
"""
AUTO_PATCHELF = 'autoPatchelf() { for f in $1/*.so*; do patchelf --set-rpath /nix "$f"; done; }\n'

pytestmark = pytest.mark.skipif(shutil.which("nix") is None, reason="nix is not installed (Debian: nix-bin)")

Change = Callable[[Path], object]


class Flake:
    """A copy of the project that Nix evaluates, in a store of its own."""

    def __init__(self, folder: Path) -> None:
        self.source, self.store = folder / "source", folder / "store"
        self.flake = f"path:{self.source}"
        self.stand_in = ("--no-write-lock-file", "--override-input", "nixpkgs", f"{self.flake}/nixpkgs")
        self.environment = dict(os.environ) | {"HOME": str(folder), "NIX_CONFIG": NIX_CONFIG}
        self.source.mkdir()
        for name in ("flake.nix", "flake.lock"):
            shutil.copy(ROOT / name, self.source / name)
        shutil.copytree(ROOT / "envs", self.source / "envs")
        shutil.copytree(Path(__file__).parent / "nixpkgs", self.source / "nixpkgs")

    def nix(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run Nix to its end, without a network."""
        command = ["nix", "--store", str(self.store), "--offline", *words]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True)

    def evaluate(self, attribute: str, apply: str = "value: value") -> subprocess.CompletedProcess[str]:
        """Let Nix print what a function makes of an *attribute* of the flake, as JSON."""
        return self.nix("eval", "--json", "--apply", apply, *self.stand_in, f"{self.flake}#{attribute}")

    def value(self, attribute: str, apply: str = "value: value") -> Any:  # noqa: ANN401  any JSON
        """Return what a function makes of an *attribute* of the flake."""
        answer = self.evaluate(attribute, apply)
        assert answer.returncode == 0, answer.stderr
        return json.loads(answer.stdout)

    def complaint(self) -> str:
        """Return the first thing that Nix finds wrong with the flake and its lock, nothing if all is well.

        `nix flake check` of Nix 2.8 does not look at apps and at the formatter.
        """
        checks = (
            lambda: self.nix("flake", "metadata", "--no-update-lock-file", self.flake),
            lambda: self.nix("flake", "check", "--no-build", *self.stand_in, self.flake),
            lambda: self.evaluate(f"apps.{SYSTEM}.default", 'app: assert app.type == "app"; app.program'),
            lambda: self.evaluate(f"formatter.{SYSTEM}.drvPath"),
        )
        answers = (check() for check in checks)
        return next((answer.stderr for answer in answers if answer.returncode != 0), "")


@pytest.fixture
def flake(tmp_path: Path) -> Flake:
    """The project's flake as it is."""
    return Flake(tmp_path)


def replace(name: str, old: str, new: str) -> Change:
    """Return a change of a file's text, where *old* stands first."""

    def change(source: Path) -> None:
        text = (source / name).read_text()
        assert old in text
        (source / name).write_text(text.replace(old, new, 1))

    return change


def copy_folder(old: str, new: str) -> Change:
    """Return a change that adds a folder like one that is there."""
    return lambda source: shutil.copytree(source / old, source / new)


def remove(name: str) -> Change:
    """Return a change that takes a file away."""
    return lambda source: (source / name).unlink()


class TestTheFlake:
    """The flake as it is."""

    def test_every_output_evaluates(self, flake: Flake) -> None:
        """Nix finds nothing wrong."""
        assert flake.complaint() == ""

    def test_every_environment_is_a_package_but_engine_cpu(self, flake: Flake) -> None:
        """Whoever adds a folder to envs/ can't forget the flake, and nothing but engine-cpu is left out."""
        folders = {path.name for path in (ROOT / "envs").iterdir()}

        packages = flake.value(f"packages.{SYSTEM}", "builtins.attrNames")

        assert set(packages) == folders - {"engine-cpu"} | {"default"}

    def test_an_environment_is_made_of_its_own_wheels(self, flake: Flake) -> None:
        """Each wheelhouse has the hash of its description, and the environment installs from it offline."""
        for name in ("engine-cu12", "engine-cu13", "workflow", "workflow-dev"):
            description = json.loads((ROOT / "envs" / name / "wheelhouse.json").read_text())

            install = str(flake.value(f"packages.{SYSTEM}.{name}.installPhase"))

            wheelhouse = re.search(rf"--no-index --find-links (\S+-{name}-wheelhouse) ", install)
            assert wheelhouse
            assert description["hash"] in self.outputs(flake, name, wheelhouse[1])

    def outputs(self, flake: Flake, name: str, wheelhouse: str) -> str:
        """Return the hash that Nix demands of the *wheelhouse* that the environment *name* is built from."""
        closure = flake.nix(
            "show-derivation", "--recursive", str(flake.value(f"packages.{SYSTEM}.{name}.drvPath"))
        )
        derivations = json.loads(closure.stdout).values()
        return next(
            d["env"]["outputHash"] for d in derivations if d["outputs"]["out"].get("path") == wheelhouse
        )

    def test_the_rule_finds_the_engines(self, flake: Flake) -> None:
        """The shell for measuring names each engine as the rule `env` looks for it."""
        pick = "shell: { inherit (shell) ENV_ENGINE_CU12 ENV_ENGINE_CU13; }"

        engines = flake.value(f"devShells.{SYSTEM}.engines", pick)

        assert engines == {
            "ENV_ENGINE_CU12": flake.value(f"packages.{SYSTEM}.engine-cu12.outPath"),
            "ENV_ENGINE_CU13": flake.value(f"packages.{SYSTEM}.engine-cu13.outPath"),
        }

    @pytest.mark.parametrize(
        "script",
        [
            "packages.engine-cu13.installPhase",
            "packages.engine-cu13.postFixup",
            "checks.tests.buildCommand",
            "checks.lint.buildCommand",
            "checks.dry-run.buildCommand",
        ],
    )
    def test_bash_can_read_its_scripts(self, flake: Flake, script: str) -> None:
        """What Nix passes on unread has no syntax error."""
        output, _, rest = script.partition(".")

        text = str(flake.value(f"{output}.{SYSTEM}.{rest}"))

        answer = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True)
        assert answer.stderr == ""

    def test_a_library_looks_first_where_its_maker_said(self, flake: Flake, tmp_path: Path) -> None:
        """Places relative to itself stay, before those that autoPatchelf finds; a script is no library.

        A file stands in for a library: its text is what `patchelf` prints.
        """
        out, bin_ = tmp_path / "out", tmp_path / "bin"
        libraries = {"a b.so": "$ORIGIN/../x:/abs:$ORIGIN", "c.so.1": "/abs", "d.so": "", "e.so": "$ORIGIN"}
        out.mkdir()
        for name, places in libraries.items():
            (out / name).write_text(f"ELF{places}")
        (out / "pip").write_text("#!/bin/sh")
        (out / "pip").chmod(0o755)
        bin_.mkdir()
        (bin_ / "patchelf").write_text(PATCHELF)
        (bin_ / "patchelf").chmod(0o755)
        script = flake.value(f"packages.{SYSTEM}.engine-cu13.postFixup")

        done = subprocess.run(
            ["bash", "-euo", "pipefail"],
            input=f"{AUTO_PATCHELF}{script}",
            env=os.environ | {"out": str(out), "PATH": f"{bin_}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
        )

        assert (done.returncode, done.stderr) == (0, "")
        assert {path.name: path.read_text() for path in out.iterdir()} == {
            "a b.so": "ELF$ORIGIN/../x:$ORIGIN:/nix",
            "c.so.1": "ELF/nix",
            "d.so": "ELF/nix",
            "e.so": "ELF$ORIGIN:/nix",
            "pip": "#!/bin/sh",
        }


class TestMutations:
    """Each fault is one that Nix finds."""

    @pytest.mark.parametrize(
        ("change", "found"),
        [
            pytest.param(
                remove("envs/engine-cu13/requirements.lock"), "envs/engine-cu13: not the", id="no-lock"
            ),
            pytest.param(remove("envs/engine-cu12/wheelhouse.json"), "wheelhouse.json", id="no-hash"),
            pytest.param(
                remove("envs/workflow/excludes.in"), "envs/workflow: not the files", id="no-excludes"
            ),
            pytest.param(
                replace("envs/workflow/requirements.lock", "httpx==", "httpx==9."),
                "envs/workflow: not the files that its wheelhouse.json is of; run `sweetspot lock workflow`",
                id="changed-lock",
            ),
            pytest.param(
                replace("envs/workflow/requirements.in", "httpx\n", "httpx\nrequests\n"),
                "envs/workflow: not the files",
                id="package-that-the-lock-lacks",
            ),
            pytest.param(
                replace("envs/engine-cu13/wheelhouse.json", '"hash": "sha256-', '"hash": "sha256-x'),
                "hash",
                id="malformed-hash",
            ),
            pytest.param(replace("envs/engine-cu13/wheelhouse.json", "}", ""), "parse", id="broken-json"),
            pytest.param(
                copy_folder("envs/engine-cu13", "envs/engine-cu14"),
                "envs/: other folders",
                id="forgotten-engine",
            ),
            pytest.param(
                replace("flake.nix", '"engine-cu12"\n', "\n"), "envs/: other folders", id="engine-gone"
            ),
            pytest.param(
                replace("flake.nix", '"engine-cpu" ];', "];"), "envs/: other folders", id="none-left-out"
            ),
            pytest.param(
                replace("flake.nix", "pkgs.numactl", "pkgs.numactrl"), "numactrl", id="wrong-attribute"
            ),
            pytest.param(replace("flake.nix", "lib.getExe", "lib.getExec"), "getExec", id="wrong-function"),
            pytest.param(
                replace("flake.nix", "default = environments.workflow;", "default = environments.workflows;"),
                "workflows",
                id="wrong-environment",
            ),
            pytest.param(
                replace("flake.nix", "inherit name;", "inherit name"), "syntax error", id="no-semicolon"
            ),
            pytest.param(
                replace("flake.nix", "= withSweetspot env", "= withSweetspots env"),
                "undefined",
                id="undefined",
            ),
            pytest.param(replace("flake.nix", 'type = "app"', 'type = "apps"'), "assertion", id="no-app"),
            pytest.param(replace("flake.nix", "program =", "programme ="), "missing", id="app-of-nothing"),
            pytest.param(
                replace(
                    "flake.nix",
                    "formatter.${system} = pkgs.nixfmt-tree",
                    'formatter.${system} = "a"',
                ),
                "formatter",
                id="no-derivation",
            ),
            pytest.param(replace("flake.nix", "nixos-26.05", "nixos-25.11"), "nixpkgs", id="other-branch"),
            pytest.param(replace("flake.lock", '"nixpkgs": "nixpkgs"', ""), "nixpkgs", id="input-not-locked"),
        ],
    )
    def test_is_found(self, flake: Flake, change: Change, found: str) -> None:
        """Nix says what is wrong."""
        change(flake.source)

        assert found in flake.complaint()
