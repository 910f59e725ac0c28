"""An engine of the user's own: its outputs say that it is from no lock, and nothing starts on a busy GPU.

The interpreter is a real one, with the stand-in server in the place of SGLang; so is nvidia-smi.
"""

import json
import os
import subprocess
import sys
import sysconfig

import pytest

from sweetspot.host import env, installed
from sweetspot.models import config_files
from sweetspot.models.spec import spec
from tests.workflow.project import ROOT, Project

pytestmark = pytest.mark.workflow

SOURCES = {
    "sglang/launch_server.py": "import sys\nfrom sweetspot.engine.fake import main\nsys.exit(main())\n",
    "sglang-0.5.23.dist-info/METADATA": "Metadata-Version: 2.1\nName: sglang\nVersion: 0.5.23\n",
    "triton-3.7.1.dist-info/METADATA": "Metadata-Version: 2.1\nName: triton\nVersion: 3.7.1\n",
    "transformers.py": "class AutoTokenizer(list):\n"
    "    @classmethod\n"
    "    def from_pretrained(cls, *_, **__):\n"
    "        return cls(range(1000))\n",
}
NVIDIA_SMI = """#!/bin/sh
case "$1" in
--query-gpu=index,*) echo "0, GPU-a, 2345" ;;
--query-gpu=*) echo "590.1, NVIDIA H200, 143771, 700, 1980, 3201" ;;
--query-compute-apps=*) echo "GPU-a, 4711, /opt/other/bin/python3" ;;
esac
"""


@pytest.fixture
def external(project: Project) -> Project:
    """A study on an interpreter of its own, whose SGLang is the stand-in."""
    own = project.folder / "own"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", own], check=True)
    packages = next(own.glob("lib/python*/site-packages"))
    for name, text in SOURCES.items():
        (packages / name).parent.mkdir(exist_ok=True)
        (packages / name).write_text(text)
    (packages / "ours.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    pair = spec({"shape": "tiny", "acceptance": [0.5], "seed": 0})
    for role in ("target", "draft"):
        config_files.write(pair, role, project.folder / "models" / role)
    engine = {"python": str(own / "bin" / "python"), "args": {"max-running-requests": 8}, "env": {}}
    project.study |= {"engine": "external", "engines": {"external": engine}}
    project.save()
    return project


def put_on_path(project: Project, tool: str, script: str) -> None:
    """Let every rule find a program of this name first."""
    place = project.folder / "tools" / tool
    place.parent.mkdir(exist_ok=True)
    place.write_text(script)
    place.chmod(0o755)
    project.environment["PATH"] = f"{place.parent}{os.pathsep}{os.environ['PATH']}"


def test_everything_says_that_it_is_from_no_lock(external: Project) -> None:
    """The record lists every difference from the nearest lock; every output has the words, also a figure."""
    answer = external.snakemake("all")

    assert answer.returncode == 0, answer.stdout + answer.stderr
    results = external.folder / "results" / "small"
    engine = json.loads((results / "plan" / "engine.json").read_text())
    locked = installed.pins(env.lock_of(engine["nearest_lock"]))
    found = engine["packages"]
    assert (engine["name"], engine["lock_sha256"], found["sglang"]) == ("external", None, "0.5.23")
    assert engine["nearest_lock"] == "engine-cpu"
    assert engine["differences"] == {
        name: [locked.get(name), found.get(name)]
        for name in (locked | found).keys() - installed.BESIDE_THE_LOCK
        if locked.get(name) != found.get(name)
    }
    assert engine["differences"]["torch"] == ["2.13.0+cpu", None]
    assert json.loads(external.record("none.default").read_text())["engine"] == engine
    outputs = [
        results / name for name in ("table.md", "table.csv", "report.html", "launch.sh", "eagle3_prof.txt")
    ]
    for output in [*outputs, *results.glob("figures/*.svg")]:
        assert "Not from a lock" in output.read_text(), output


@pytest.mark.parametrize(
    ("toolkit", "found"),
    [
        ("toolkit", "GPU 0: 2345 MiB in use by 4711 python3, expected nobody else on it while a study"),
        (
            "no-toolkit",
            "no-toolkit/bin/nvcc: no such file, expected the nvcc that SGLang compiles kernels with",
        ),
    ],
    ids=["busy GPU", "no nvcc"],
)
def test_nothing_starts_on_a_gpu_that_cannot_serve(external: Project, toolkit: str, found: str) -> None:
    """Somebody on the GPU, or no nvcc: the line is there before any server is."""
    put_on_path(external, "nvidia-smi", NVIDIA_SMI)
    (external.folder / "toolkit" / "bin").mkdir(parents=True)
    (external.folder / "toolkit" / "bin" / "nvcc").touch()
    external.environment["CUDA_HOME"] = toolkit

    answer = external.snakemake("--", str(external.record("none.default").relative_to(external.folder)))

    assert answer.returncode != 0
    assert found in answer.stdout + answer.stderr
    assert not list(external.folder.glob("results/small/run/*/*/*"))
    assert not list(external.folder.glob("results/small/logs/run/*/*.server.log"))
