"""Tests of `sweetspot.host.env` and `installed`: what a lock pins is what is there."""

import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sweetspot.errors import InstallError
from sweetspot.host import env, installed


@pytest.fixture(scope="module")
def packages() -> dict[str, str]:
    """What is installed beside the interpreter of the tests."""
    return dict(installed.inspect(Path(sys.executable))["packages"])


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packages: dict[str, str]) -> Path:
    """A project whose environment `this` is the interpreter of the tests, and locked as it is."""
    monkeypatch.setattr(env, "ROOT", tmp_path)
    monkeypatch.setenv("ENV_THIS", str(Path(sys.executable).parents[1]))
    write_lock(tmp_path, packages)
    return tmp_path


def write_lock(project: Path, packages: dict[str, str]) -> None:
    """Lock the environment `this`."""
    lock = project / "envs" / "this" / "requirements.lock"
    lock.parent.mkdir(parents=True, exist_ok=True)
    lock.write_text("".join(f"{name}=={version}\n" for name, version in packages.items()))


class TestRecord:
    """Tests of `record`."""

    def test_what_is_installed_is_what_is_locked(self, project: Path) -> None:
        """The record lists every package, and who built the environment."""
        record = installed.record("this")

        assert record["built_by"] == "nix"
        assert record["packages"]["pytest"] == pytest.__version__

    @pytest.mark.parametrize(
        ("change", "found"),
        [
            ({"pytest": "0.1"}, f"pytest {pytest.__version__}"),
            ({"no-such-package": "1"}, "no-such-package missing"),
        ],
    )
    def test_another_version_or_a_missing_package(
        self, project: Path, packages: dict[str, str], change: dict[str, str], found: str
    ) -> None:
        """What the lock pins and the environment lacks is named."""
        write_lock(project, packages | change)

        with pytest.raises(InstallError, match=rf"{found}.*, expected what envs/this/requirements.lock pins"):
            installed.record("this")

    def test_a_stray_package(self, project: Path, packages: dict[str, str]) -> None:
        """What the lock does not know is named too."""
        write_lock(project, {name: version for name, version in packages.items() if name != "pytest"})

        with pytest.raises(InstallError, match=r": pytest, expected"):
            installed.record("this")


class TestInspect:
    """Tests of `inspect`."""

    def test_of_two_versions_the_one_that_is_imported(self, tmp_path: Path) -> None:
        """A virtual environment may hide what the system has."""
        python = tmp_path / "bin" / "python"
        venv.create(tmp_path, system_site_packages=True)
        (site,) = tmp_path.glob("lib/*/site-packages")
        (site / "pip-0.1.dist-info").mkdir()
        (site / "pip-0.1.dist-info" / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: pip\nVersion: 0.1\n"
        )

        assert installed.inspect(python)["packages"]["pip"] == "0.1"


class TestRecordExternal:
    """Tests of `record_external`."""

    def test_no_sglang(self) -> None:
        """An interpreter without SGLang serves nothing."""
        with pytest.raises(InstallError, match=r"^engines.external.python: .* has no sglang"):
            installed.record_external(Path(sys.executable))

    def test_no_triton(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """As engine-cpu's own Python, which serves by our stand-ins alone; a nightly's name will do."""
        found = {"sglang": "0.5.23"}
        monkeypatch.setattr(installed, "inspect", lambda python: {"python": "3.11.7", "packages": found})

        with pytest.raises(InstallError, match=r"^engines.external.python: p has no triton, .*engine-cpu"):
            installed.record_external(Path("p"))
        found["pytorch-triton"] = "3.7"
        assert installed.record_external(Path("p"))["packages"] == found

    def test_no_interpreter(self, tmp_path: Path) -> None:
        """A path that is no Python is one line."""
        with pytest.raises(
            InstallError, match=r"no-such-python.*expected a Python interpreter; correct its path$"
        ):
            installed.record_external(tmp_path / "no-such-python")


class TestFolder:
    """Tests of `folder` and `python_of`."""

    def test_a_changed_lock_is_another_folder(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A half-updated environment can't be met."""
        monkeypatch.delenv("ENV_THIS")
        before = env.folder("this")

        write_lock(project, {"pytest": "0.1"})

        assert env.folder("this") != before

    def test_an_environment_that_is_not_built(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Its interpreter is not handed out; the line says how to build it."""
        monkeypatch.delenv("ENV_THIS")

        with pytest.raises(
            InstallError, match=r"not built, .*`snakemake --cores 1 --forcerun env -- results/env/this.json`$"
        ):
            env.python_of("this")

    def test_an_environment_that_does_not_exist(self, project: Path) -> None:
        """The known ones are listed."""
        with pytest.raises(
            InstallError,
            match=r"^envs/no-such: no requirements.lock, expected one of this; correct the name$",
        ):
            env.folder("no-such")


class TestBuild:
    """Tests of `build`."""

    def test_whoever_comes_first_builds(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Of several that need the environment at once, one builds it and the others wait for it."""
        monkeypatch.delenv("ENV_THIS")
        python = project / "python"
        python.write_text(
            '#!/bin/sh\necho "$2" >>"${0%/*}/calls"\nmkdir -p "$4/bin"; ln -s /bin/true "$4/bin/python"\n'
        )
        python.chmod(0o755)
        monkeypatch.setattr(env, "_interpreter", lambda name: str(python))

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(env.build, ["this"] * 8))

        assert (project / "calls").read_text() == "venv\n"
        assert env.python_of("this").exists()


class TestLocks:
    """The locks in `envs/`."""

    LOCKS = sorted((Path(__file__).parents[2] / "envs").glob("*/requirements.lock"))

    @pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.parent.name)
    def test_names_versions_and_hashes_only(self, lock: Path) -> None:
        """No address and no option stands in a lock, and each package has a hash."""
        text = lock.read_text()
        entries = text.split("\n")

        assert "://" not in text
        assert not [line for line in entries if line.startswith("-")]
        assert len(installed.pins(lock)) == text.count("==")
        assert all("--hash=sha256:" in entry for entry in self.after_each_pin(entries))

    def after_each_pin(self, lines: list[str]) -> list[str]:
        """Return the line that follows each pin."""
        return [lines[i + 1] for i, line in enumerate(lines) if "==" in line]

    def test_the_development_environment_contains_the_workflows(self) -> None:
        """One folder serves both: what both lock, they lock at the same version."""
        root = Path(__file__).parents[2] / "envs"
        workflow, development = (
            installed.pins(root / name / "requirements.lock") for name in ("workflow", "workflow-dev")
        )

        assert workflow.items() <= development.items()
