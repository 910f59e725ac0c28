"""A small study that every test of the plan starts from."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
import yaml

Study = dict[str, Any]
MakeStudy = Callable[..., Study]

QUICKSTART = f"""\
name: quickstart
models:
  constructed: {{shape: tiny, acceptance: [0.75], seed: 0}}
engine: auto
engines:
  engine-cpu:
    args: {{device: cpu, attention-backend: intel_amx, max-running-requests: 8}}
    env: {{SGLANG_USE_CPU_ENGINE: "1"}}
  engine-cu12:
    args: {{attention-backend: fa3, max-running-requests: 64}}
    env: {{}}
  external: {{python: sglang/bin/python, args: {{}}, env: {{}}}}
  fake: {{args: {{max-running-requests: 8}}, env: {{}}}}
tp_size: 1
speculation:
  num_steps: [1, 2]
  trees: []
  algorithm: EAGLE3
smoke: {{accept_length: null}}
nccl:
  default: {{env: {{}}, args: {{}}}}
args_sets: {{}}
controls: [aa]
launches: dedicated
equality_rounds: 0
loads: [1]
verdict_load: 1
prompts: {{file: prompts.jsonl, sha256: {"a" * 64}, chat_template: null, thinking: null}}
generation: {{max_new_tokens: 128, ignore_eos: true, temperature: 0}}
exactness: {{near_tie_nats: 0.0}}
radix_cache: false
profile: phases
rounds: 3
repeats: 5
warmup_passes: 1
limits: {{start_s: 600, stall_s: 120}}
seed: 0
"""


@pytest.fixture(scope="session")
def quickstart() -> str:
    """Return the text of the study file."""
    return QUICKSTART


@pytest.fixture(scope="session")
def make_study() -> MakeStudy:
    """Return a function that returns the study with some of its top-level keys replaced."""
    whole: Study = yaml.safe_load(QUICKSTART)

    def study(**changes: Any) -> Study:  # noqa: ANN401
        return deepcopy(whole) | changes

    return study
