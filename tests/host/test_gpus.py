"""What a GPU machine lacks, or who else is on it, is said before anything starts.

nvidia-smi is a stand-in on PATH.
"""

from pathlib import Path
from typing import Any

import pytest

from sweetspot.errors import RunError
from sweetspot.host import gpus
from sweetspot.host.preflight import preflight
from tests.host.test_preflight import HOST, PROMPTS, plan


class Machine:
    """A folder that is all there is on PATH, with an nvidia-smi that knows two GPUs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {"PATH": str(folder)}
        self.used_mib = [4, 4]
        self.processes: list[str] = []
        self.add("c++")
        self.add("bin/nvcc")
        self.environment["CUDA_HOME"] = str(folder)

    def add(self, tool: str, script: str = "") -> None:
        """Put a program into the folder."""
        place = self.folder / tool
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"#!/bin/sh\n{script}\n")
        place.chmod(0o755)

    def check(self, tp_size: int = 1, **args: Any) -> list[str]:  # noqa: ANN401
        """Check this machine for a server on *tp_size* GPUs."""
        listed = "\n".join(f"{i}, GPU-{'ab'[i]}{i}, {used}" for i, used in enumerate(self.used_mib))
        running = "\n".join(self.processes)
        self.add(
            "nvidia-smi",
            f"""case $1 in
            --query-gpu=index,uuid,memory.used) echo '{listed}' ;;
            --query-compute-apps=gpu_uuid,pid,process_name) echo '{running}' ;;
            *) exit 2 ;;
            esac""",
        )
        return gpus.check({"tp-size": tp_size, **args}, self.environment)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A GPU machine on which a server could start."""
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(gpus, "PATIENCE_S", 0.0)
    monkeypatch.setattr(gpus, "TOOLKIT", tmp_path / "no-toolkit")
    return Machine(tmp_path)


class TestCompilers:
    """What SGLang compiles its kernels with."""

    def test_all_is_there(self, machine: Machine) -> None:
        """Both lines say what was found."""
        assert machine.check(tp_size=2) == [
            f"{machine.folder}/bin/nvcc and c++ for the kernels that SGLang compiles",
            "GPUs 0, 1: idle",
        ]

    def test_no_toolkit(self, machine: Machine) -> None:
        """Neither named nor on PATH nor in the usual place."""
        del machine.environment["CUDA_HOME"]

        with pytest.raises(
            RunError, match=r"no-toolkit/bin/nvcc: no such file, expected the nvcc .*; install a CUDA toolkit"
        ):
            machine.check()

    def test_an_nvcc_on_the_path(self, machine: Machine) -> None:
        """It is taken where no folder is named, as SGLang does."""
        del machine.environment["CUDA_HOME"]
        machine.add("nvcc")

        assert machine.check()[0].startswith(f"{machine.folder}/nvcc and ")

    def test_a_folder_without_nvcc(self, machine: Machine) -> None:
        """What CUDA_HOME names counts, whatever is on PATH: SGLang looks nowhere else."""
        machine.add("nvcc")
        machine.environment["CUDA_HOME"] = "/no-such-folder"

        with pytest.raises(RunError, match=r"^/no-such-folder/bin/nvcc: no such file"):
            machine.check()

    def test_no_compiler(self, machine: Machine) -> None:
        """The one that CXX names counts."""
        machine.environment["CXX"] = "g++-99"

        with pytest.raises(RunError, match=r"^g\+\+-99: not on PATH, expected the C\+\+ compiler .* in CXX$"):
            machine.check()


class TestIdle:
    """Who else is on the GPUs."""

    def test_another_process(self, machine: Machine) -> None:
        """It is named, with its number and without the folder of its program."""
        machine.processes = ["GPU-a0, 4711, /home/somebody/bin/python3"]
        machine.used_mib[0] = 2345

        with pytest.raises(RunError) as error:
            machine.check()

        assert str(error.value) == (
            "GPU 0: 2345 MiB in use by 4711 python3, expected nobody else on it while a study measures; "
            "stop that, or name other GPUs in CUDA_VISIBLE_DEVICES"
        )

    def test_memory_that_nobody_admits_to(self, machine: Machine) -> None:
        """A process in another container is not listed, but what it holds is."""
        machine.used_mib[0] = 70000

        with pytest.raises(RunError, match=r"^GPU 0: 70000 MiB in use by a process that can't be seen from"):
            machine.check()

    def test_a_gpu_that_the_server_does_not_take(self, machine: Machine) -> None:
        """Work elsewhere is no reason to refuse: not on a GPU left out, and not behind the last rank."""
        machine.processes = ["GPU-b1, 4711, python3"]

        assert machine.check(tp_size=1)[1] == "GPUs 0: idle"

        machine.environment["CUDA_VISIBLE_DEVICES"] = "0"

        assert machine.check(tp_size=1)[1] == "GPUs 0: idle"

    @pytest.mark.parametrize("visible", ["1", "GPU-b1", "GPU-b", " 1,0"])
    def test_the_gpu_that_is_named(self, machine: Machine, visible: str) -> None:
        """By number or by name, the first of them is the server's."""
        machine.processes = ["GPU-b1, 4711, python3"]
        machine.environment["CUDA_VISIBLE_DEVICES"] = visible

        with pytest.raises(RunError, match=r"^GPU 1: .* 4711 python3"):
            machine.check()

    def test_the_gpu_that_the_server_is_told_to_begin_with(self, machine: Machine) -> None:
        """SGLang's own argument counts too."""
        machine.processes = ["GPU-b1, 4711, python3"]

        with pytest.raises(RunError, match=r"^GPU 1: "):
            machine.check(**{"base-gpu-id": 1})

    @pytest.mark.parametrize(("visible", "found"), [("1", 1), ("", 0), ("7", 0)])
    def test_fewer_than_the_server_takes(self, machine: Machine, visible: str, found: int) -> None:
        """What CUDA_VISIBLE_DEVICES hides is missing, however many this machine has."""
        machine.environment["CUDA_VISIBLE_DEVICES"] = visible

        with pytest.raises(RunError) as error:
            machine.check(tp_size=2)

        assert str(error.value) == (
            f"CUDA_VISIBLE_DEVICES={visible}: {found} of the GPUs that a server would take, expected 2 by "
            "tp_size; name more, or unset it"
        )

    def test_parts_of_a_gpu(self, machine: Machine) -> None:
        """nvidia-smi's list does not tell them, so nothing is said of their number."""
        machine.environment["CUDA_VISIBLE_DEVICES"] = "MIG-c2"

        assert machine.check(tp_size=1)[1] == "GPUs unknown to nvidia-smi: idle"

    def test_no_driver(self, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
        """A machine without GPUs may submit jobs to others: there is nothing to check."""
        monkeypatch.setenv("PATH", "/no-such-folder")

        assert gpus.check({"tp-size": 1}, {}) == []


class TestPreflight:
    """That `preflight` asks."""

    @pytest.mark.parametrize(("engine", "asks"), [("engine-cu13", True), ("external", True), ("fake", False)])
    def test_asks_for_servers_on_gpus(self, machine: Machine, engine: str, asks: bool) -> None:
        """A busy GPU stops a study that serves there, and no other."""
        machine.processes = ["GPU-a0, 4711, python3"]
        machine.add("nvcc")
        with pytest.raises(RunError):
            machine.check()

        if not asks:
            assert len(preflight(plan(engine), HOST, PROMPTS)) == 4
            return
        with pytest.raises(RunError, match=r"^GPU 0: "):
            preflight(plan(engine), HOST, PROMPTS)
