"""The layers that `sweetspot.plan.capture` computes are those that the installed SGLang sets itself."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from sweetspot.engine import cpu
from sweetspot.host import env
from sweetspot.host.installed import pins
from sweetspot.plan.capture import KNOWN, captured
from sweetspot.plan.versions import sglang_version
from tests.engines import cpu_python

pytestmark = pytest.mark.engine

ROOT = Path(__file__).parents[2]
LAYERS = 61
IDS: list[list[int] | None] = [
    None,
    [2, 30, 58],
    [1, 29, 57],
    [3, 31, 59],
    [-1, 29, 57],
    [58, 1, 30],
    [0, 61],
    [5],
]


@pytest.fixture(scope="module")
def by_sglang() -> dict[str, list[list[int]]]:
    """What the methods of the installed SGLang set for each list of ids, by target."""
    python = cpu_python()
    answer = subprocess.run(
        [python, ROOT / "tests/engine/capture_by_sglang.py", json.dumps(LAYERS), json.dumps(IDS)],
        env=os.environ | {"PYTHONPATH": str(cpu.SITE), "SGLANG_USE_CPU_ENGINE": "1"},
        capture_output=True,
        text=True,
    )
    assert answer.returncode == 0, answer.stderr[-2000:]
    found: dict[str, list[list[int]]] = json.loads(answer.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("target", sorted(KNOWN))
def test_layers_are_those_of_the_installed_sglang(by_sglang: dict[str, list[list[int]]], target: str) -> None:
    """For each target and each list of ids, but for layers that the target does not pass."""
    at = sglang_version(pins(env.lock_of("engine-cpu"))["sglang"])
    last = LAYERS + (target == "GptOssForCausalLM")

    ours = [list(captured(target, LAYERS, ids, at)) for ids in IDS]

    assert ours == [[layer for layer in layers if 0 <= layer < last] for layers in by_sglang[target]]


def test_every_target_of_the_installed_sglang_is_known(by_sglang: dict[str, list[list[int]]]) -> None:
    """What is left out drafts for others, embeds, or serves another device."""
    drafts = ("NextN", "MTP", "Eagle", "Eagle3", "AssistantForCausalLM")
    others = {"EmbeddingGemmaModel", "MindSporeForCausalLM"}

    unknown = {name for name in by_sglang.keys() - KNOWN if not name.endswith(drafts)}

    assert unknown == others
