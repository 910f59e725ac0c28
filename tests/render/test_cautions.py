import json
from typing import Any

import pytest

from sweetspot.plan import plan_study
from sweetspot.render.cautions import cautions
from tests.workflow.project import STUDY

LAUNCH: dict[str, Any] = {"variants": [], "args": {}, "env": {}}
GPU_PLAN: dict[str, Any] = {"sglang": "0.5.16", "variants": [], "launches": [LAUNCH]}
CPU_PLAN: dict[str, Any] = GPU_PLAN | {"launches": [LAUNCH | {"args": {"device": "cpu"}}]}
LOCKED = {"name": "engine-cu12"}
TRAINED: dict[str, Any] = {"constructed": None, "target": {}, "draft": {}}


def titles(*arguments: Any) -> list[str]:  # noqa: ANN401
    """Return the titles of the cautions."""
    return [caution.title for caution in cautions(*arguments)]


def test_trained_models_on_a_locked_gpu_engine() -> None:
    """Nothing to be careful about."""
    assert titles(GPU_PLAN, LOCKED, TRAINED) == []


def test_cpu_with_a_constructed_pair() -> None:
    """Both are said, and the dial's value."""
    found = cautions(CPU_PLAN, {"name": "engine-cpu"}, {"constructed": {"acceptance": [0.8, 0.7]}})

    assert [caution.title for caution in found] == [
        "CPU: says nothing about a GPU",
        "Acceptance is a dial of a constructed pair",
    ]
    assert "Two CPU servers differ by up to 10 % for as long as they live" in found[0].text
    assert "0.8, 0.7" in found[1].text


def test_fake_engine_is_not_called_a_cpu() -> None:
    """Made-up numbers are not even a CPU's."""
    assert titles(CPU_PLAN, {"name": "fake"}, TRAINED) == ["Made up by the fake engine"]


def test_external_engine() -> None:
    """A user's own SGLang is said, with how far it is from a lock."""
    engine = {
        "name": "external",
        "nearest_lock": "engine-cu12",
        "differences": {"torch": ["2.13.0", "2.14.1"]},
    }

    found = cautions(GPU_PLAN, engine, TRAINED)

    assert found[0].title == "Not from a lock"
    assert "the lock of engine-cu12: 1 packages differ." in found[0].text


def test_another_sglang_than_any_lock_has() -> None:
    """The lock that is nearest is then far, and says so."""
    differences = {"sglang": ["0.5.23", "0.5.16"], "torch": ["2.13.0+cpu", "2.11.0"]}
    engine = {"name": "external", "nearest_lock": "engine-cpu", "differences": differences}

    found = cautions(GPU_PLAN, engine, TRAINED)

    assert "engine-cpu: 2 packages differ, SGLang among them." in found[0].text


def planned(sglang: str, **args: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the plan of a small study on GPUs with this SGLang."""
    served = {"args": {"max-running-requests": 8} | args, "env": {}}
    study = STUDY | {"engines": {"external": served}, "launches": "auto"}
    return dict(json.loads(plan_study(study, "external", sglang).to_json()))


@pytest.mark.parametrize(
    ("sglang", "args", "said"),
    [
        ("0.5.10.post1", {}, ["Not only speculation: the overlap schedule"]),
        ("0.5.10.post1", {"disable-overlap-schedule": True}, []),
        ("0.5.12", {}, []),
        ("0.5.12", {"enable-mixed-chunk": True}, ["Not only speculation: mixed chunked prefill"]),
        ("0.5.16", {"enable-mixed-chunk": True}, []),  # the baseline is served by the same server
    ],
)
def test_what_differs_beside_speculation(sglang: str, args: dict[str, Any], said: list[str]) -> None:
    """Of each SGLang, what it turns off for variants that speculate and not for the baseline beside them."""
    found = cautions(planned(sglang, **args), LOCKED, TRAINED)

    assert [caution.title for caution in found] == said
    assert all(f"SGLang {sglang} turns it off for s2.default and not for" in c.text for c in found)
