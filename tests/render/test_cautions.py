from typing import Any

from sweetspot.render.cautions import cautions

GPU_PLAN: dict[str, Any] = {"launches": [{"args": {}}]}
CPU_PLAN: dict[str, Any] = {"launches": [{"args": {"device": "cpu"}}]}
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
    assert "engine-cu12: 1," in found[0].text
