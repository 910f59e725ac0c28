"""`wheelhouse.json` holds the hash that Nix finds when it has downloaded the wheels, computed again here."""

import hashlib
import json
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sweetspot.errors import InstallError
from sweetspot.host import env, wheelhouse

pytestmark = pytest.mark.skipif(shutil.which("nix") is None, reason="nix is not installed (Debian: nix-bin)")


def entry(wheels: Path, version: str) -> str:
    """Return what a lock says of the package `small`, of which *wheels* has that version from now on."""
    wheel = wheels / f"small-{version}-py3-none-any.whl"
    info = f"small-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as files:
        files.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: small\nVersion: {version}\n")
        files.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        files.writestr(f"{info}/RECORD", "")
    return f"small=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A project with an environment of one small package, described; pip takes wheels from its folder."""
    project = tmp_path_factory.mktemp("project")
    wheels, folder = project / "wheels", project / "envs" / "small"
    wheels.mkdir()
    folder.mkdir(parents=True)
    (folder / "requirements.in").write_text("small\n")
    (folder / "requirements.lock").write_text(entry(wheels, "1"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PIP_NO_INDEX", "1")
        patched.setenv("PIP_FIND_LINKS", str(wheels))
        with patched.context() as here:
            here.setattr(env, "ROOT", project)
            wheelhouse.write("small")
        yield project


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: Path) -> Path:
    """That environment, in a project of the test's own."""
    project = shutil.copytree(written, tmp_path / "project")
    monkeypatch.setattr(env, "ROOT", project)
    return project / "envs" / "small"


def described(folder: Path) -> Any:  # noqa: ANN401  any JSON
    """Return what `wheelhouse.json` says."""
    return json.loads((folder / "wheelhouse.json").read_text())


@pytest.mark.network
def test_the_workflows_wheels_have_the_hash_that_is_written_down() -> None:
    """What Nix is told beforehand is what a download of the lock gives."""
    assert wheelhouse.describe("workflow") == described(env.ROOT / "envs" / "workflow")


class TestWrite:
    """Tests of `write`, on a package that pip finds in a folder."""

    def test_a_second_time_changes_nothing(self, folder: Path) -> None:
        """The hash does not depend on when it was computed, or on what was there."""
        first = (folder / "wheelhouse.json").read_bytes()
        (folder / "wheelhouse.json").unlink()
        shutil.rmtree(env.ROOT / ".wheels")

        wheelhouse.write("small")

        assert (folder / "wheelhouse.json").read_bytes() == first

    def test_a_changed_lock_is_another_hash(self, folder: Path, written: Path) -> None:
        """What the wheels follow from has changed, and so have they."""
        stale = described(folder)
        (folder / "requirements.lock").write_text(entry(written / "wheels", "2"))

        wheelhouse.write("small")

        assert described(folder)["files"]["requirements.in"] == stale["files"]["requirements.in"]
        assert described(folder)["files"]["requirements.lock"] != stale["files"]["requirements.lock"]
        assert described(folder)["hash"] != stale["hash"]

    def test_a_changed_wheel_is_another_hash(self, folder: Path) -> None:
        """A hash that was written down for other bytes does not pass."""
        wheel = next(env.ROOT.glob(".wheels/small-*/*.whl"))
        wheel.write_bytes(wheel.read_bytes() + b" ")

        assert wheelhouse.describe("small")["hash"] != described(folder)["hash"]

    def test_files_that_no_index_has(self, folder: Path) -> None:
        """Such an environment is not built by Nix, so nothing is written."""
        (folder / "wheelhouse.json").unlink()
        (folder / "by-hand.lock").touch()

        wheelhouse.write("small")

        assert not (folder / "wheelhouse.json").exists()

    def test_a_hash_that_no_file_has(self, folder: Path) -> None:
        """Pip's refusal is one line, and no half of a folder is left to be taken for the whole."""
        shutil.rmtree(env.ROOT / ".wheels")
        (folder / "requirements.lock").write_text(f"small==1 --hash=sha256:{64 * '0'}\n")

        with pytest.raises(InstallError, match=r"^envs/small/requirements.lock: .*files with these hashes;"):
            wheelhouse.write("small")

        assert [path.name for path in env.ROOT.glob(".wheels/*") if path.suffix != ".partial"] == []

    def test_no_nix(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The line says what to install, before anything is downloaded."""
        monkeypatch.setenv("PATH", "")
        shutil.rmtree(env.ROOT / ".wheels")

        with pytest.raises(InstallError, match=r"^nix: not on PATH, .*install Debian's nix-bin$"):
            wheelhouse.write("small")

        assert not (env.ROOT / ".wheels").exists()
