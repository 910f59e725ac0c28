"""Tests of `sweetspot.plan.capacity`."""

from typing import Any

import pytest

from sweetspot.errors import StudyError
from sweetspot.plan.capacity import check_capacity
from tests.plan.conftest import MakeStudy


def engines(args: dict[str, Any]) -> dict[str, Any]:
    """Return the engines of a study: the CPU path with *args*."""
    return {"engine-cpu": {"args": args, "env": {}}}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"engines": engines({}), "loads": [1, 64]},
            "missing, expected 64 or more, since SGLang sets 48 for speculation only; add it",
        ),
        (
            {"loads": [1, 64]},
            "8, expected 64 or more, the largest load; raise it or drop the load",
        ),
        (
            {"engines": engines({"max-running-requests": "many"})},
            "'many', expected 1 or more, the largest load; raise it or drop the load",
        ),
        (
            {"args_sets": {"x": {"max-running-requests": 4}}},
            "set in args_sets.x too, expected one for all variants; remove it from args_sets.x",
        ),
        (
            {"nccl": {"a": {"env": {}, "args": {"max-running-requests": 4}}}},
            "set in nccl.a.args too, expected one for all variants; remove it from nccl.a.args",
        ),
    ],
)
def test_wants_one_capacity_for_all(make_study: MakeStudy, changes: dict[str, Any], line: str) -> None:
    """Left to SGLang, speculation and the baseline would serve different numbers of requests."""
    study = make_study(**changes)

    with pytest.raises(StudyError) as error:
        check_capacity(study, study["engines"]["engine-cpu"], "x")

    assert str(error.value) == f"x.max-running-requests: {line}"


def test_the_largest_load_fits(make_study: MakeStudy) -> None:
    """A capacity of just as many requests is enough."""
    study = make_study(loads=[1, 8])

    check_capacity(study, study["engines"]["engine-cpu"], "x")


@pytest.mark.parametrize(
    ("flags", "line"),
    [
        ({"cuda-graph-max-bs": 4}, "cuda-graph-max-bs: 4, expected 8 or more"),
        ({"cuda-graph-max-bs-decode": "4"}, "cuda-graph-max-bs-decode: 4, expected 8 or more"),
        ({"cuda-graph-bs-decode": [1, 2, 4]}, "cuda-graph-bs-decode: [1, 2, 4], expected 8 or more"),
    ],
)
def test_wants_a_graph_for_the_largest_load(make_study: MakeStudy, flags: dict[str, Any], line: str) -> None:
    """Its cycles would run without one, and look like what the load costs."""
    study = make_study(loads=[1, 8], engines=engines({"max-running-requests": 8} | flags))

    with pytest.raises(StudyError) as error:
        check_capacity(study, study["engines"]["engine-cpu"], "x")

    assert str(error.value).startswith(f"x.{line}, the largest load")


@pytest.mark.parametrize(
    "flags",
    [{"cuda-graph-bs": [1, 8]}, {"cuda-graph-max-bs": 4, "disable-cuda-graph": True}, {"cuda-graph-bs": "x"}],
)
def test_graphs_that_hold_the_largest_load(make_study: MakeStudy, flags: dict[str, Any]) -> None:
    """As many requests are enough, who wants no graphs gets none, and what is no number SGLang refuses."""
    study = make_study(loads=[1, 8], engines=engines({"max-running-requests": 8} | flags))

    check_capacity(study, study["engines"]["engine-cpu"], "x")
