"""One real server for the baseline and several step counts: SGLang on this machine's CPU, with our switch."""

import os
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml

from sweetspot.engine import base
from sweetspot.engine.plugin import UNITS
from sweetspot.engine.sglang import Server
from sweetspot.models import prepare
from sweetspot.models.folders import resolve
from sweetspot.run.cycles import read_cycles
from sweetspot.run.job import Job
from sweetspot.run.record import digest, pack, read
from sweetspot.run.runner import measure
from tests.engines import cpu_python
from tests.workflow.project import ROOT

pytestmark = pytest.mark.engine

STEPS = {"none.default": 0, "s1.default": 1, "s2.default": 2, "s3.default": 3}
UNTIMED = {"none-untimed.default": 0, "s3-untimed.default": 3}
PROMPTS = [{"id": "p0", "input_ids": list(range(5, 69))}, {"id": "p1", "input_ids": list(range(205, 269))}]
GENERATION = {"max_new_tokens": 64, "ignore_eos": True, "temperature": 0}
SPECULATION = {
    "speculative-algorithm": "EAGLE3",
    "speculative-num-steps": 3,
    "speculative-eagle-topk": 1,
    "speculative-num-draft-tokens": 4,
}
Row = dict[str, Any]


@pytest.fixture(scope="module")
def engine() -> base.Engine:
    """The CPU engine, if it is installed."""
    return base.sglang("engine-cpu", cpu_python())


@pytest.fixture(scope="module")
def folders(engine: base.Engine) -> dict[str, Path]:
    """The constructed pair of the default study."""
    models = yaml.safe_load((ROOT / "config.yaml").read_text())["models"]
    found = resolve(models, ROOT / prepare.CONSTRUCTED)
    if not found["target"].exists():
        pytest.skip(f"{found['target']}: missing, expected the pair of the default study; make it")
    return found


@pytest.fixture(scope="module")
def settings() -> Row:
    """The default study's arguments and environment."""
    found: Row = yaml.safe_load((ROOT / "config.yaml").read_text())["engines"]["engine-cpu"]
    found["args"] |= {"tp-size": 1, "disable-radix-cache": True}
    return found


@pytest.fixture(scope="module")
def shared(
    engine: base.Engine, folders: dict[str, Path], settings: Row, tmp_path_factory: pytest.TempPathFactory
) -> Row:
    """The record of a launch that measured the baseline and three step counts, two passes of each."""
    return launched(engine, folders, settings, tmp_path_factory.mktemp("shared"), STEPS, [1, 2])


@pytest.fixture(scope="module")
def toggled(
    engine: base.Engine, folders: dict[str, Path], settings: Row, tmp_path_factory: pytest.TempPathFactory
) -> Row:
    """The record of a launch that measured the baseline and 3 steps, twice with the timer and without."""
    steps = {name: STEPS[name] for name in ("none.default", "s3.default")} | UNTIMED
    folder = tmp_path_factory.mktemp("toggled")
    return launched(engine, folders, settings, folder, steps, [1], repeats=2, untimed=tuple(UNTIMED))


def launched(
    engine: base.Engine,
    folders: dict[str, Path],
    settings: Row,
    folder: Path,
    steps: dict[str, int],
    loads: list[int],
    *,
    repeats: int = 1,
    untimed: tuple[str, ...] = (),
) -> Row:
    """Return the record of a launch that measured these variants at these loads, with its `cycles`."""
    launch = {
        "id": "oneload.default",
        "kind": "oneload",
        "variants": list(steps),
        "candidates": sorted(set(steps.values())),
        "args": settings["args"] | SPECULATION | {"speculative-adaptive": True},
        "env": settings["env"],
    }
    workload = {
        "loads": loads,
        "repeats": repeats,
        "warmup_passes": 0,
        "generation": GENERATION,
        "profile": "phases",
        "limits": {"start_s": 200, "stall_s": 60},
    }
    facts: Row = {"protocol": 1, "identity": {}, "host": {}, "engine": {"name": "engine-cpu"}, "models": {}}
    facts |= {"prompts_sha256": ""}
    job = Job(launch, 0, 0, steps, workload, engine, folders, PROMPTS, facts, untimed)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sweetspot.run.lock.PLACE", folder / "host.lock")
        measure(job, folder / "record.json", folder / "server.log")
    cycles = read_cycles(folder / "cycles.jsonl.gz")
    return read(folder / "record.json") | {
        "cycles": [dict(zip(UNITS, row, strict=True)) for row in cycles.rows]
    }


@pytest.fixture(scope="module")
def dedicated(
    engine: base.Engine, folders: dict[str, Path], settings: Row, tmp_path_factory: pytest.TempPathFactory
) -> Row:
    """What a server without speculation and without our switch answers, and its log."""
    log = tmp_path_factory.mktemp("dedicated") / "server.log"
    bodies = [{"input_ids": p["input_ids"], "sampling_params": GENERATION} for p in PROMPTS]
    with Server(engine, folders, settings["args"], settings["env"], log, 200) as server:
        found = {
            "outputs": [digest(pack(server.generate(body, 60)["output_ids"])) for body in bodies],
            "switched": server.switch(0),
            "state": server.resolved()["internal_states"][0],
        }
    return found | {"log": log.read_text()}


def test_every_cycle_ran_what_was_asked_for(shared: Row) -> None:
    """Each switch is answered, said by the server, and proved by the cycles of its pass."""
    assert len(shared["passes"]) == 8
    for measured in shared["passes"]:
        steps, switch = STEPS[measured["variant"]], measured["switch"]
        assert (switch["asked"], switch["answered"], switch["num_steps"]) == (steps, True, steps)
        assert list(switch["cycles"]) == [str(steps or "plain")]
        verified = sum(request["meta"]["spec_verify_ct"] for request in measured["requests"])
        assert sum(switch["cycles"].values()) <= verified


def test_the_timer_sees_the_same(shared: Row) -> None:
    """Beside the switch, in every pass, at the same step count; the baseline's are plain decode steps."""
    for measured in shared["passes"]:
        began, ended = measured["began_us"], measured["ended_us"]
        timed = [cycle for cycle in shared["cycles"] if began <= cycle["start_us"] <= ended]
        steps = STEPS[measured["variant"]]

        assert len(timed) == sum(measured["switch"]["cycles"].values())
        assert {(cycle["num_steps"], cycle["plain"]) for cycle in timed} == {(steps, int(steps == 0))}


def test_the_timer_is_off_where_it_is_not_wanted(toggled: Row) -> None:
    """It sees every cycle of a pass or none, in turns, and writes what it saw before it is turned."""
    assert toggled["failure"] is None
    found = set()
    for measured in toggled["passes"]:
        began, ended, switch = measured["began_us"], measured["ended_us"], measured["switch"]
        timed = [cycle for cycle in toggled["cycles"] if began <= cycle["start_us"] <= ended]
        on = measured["variant"] not in UNTIMED

        assert switch["timer"] is on
        assert len(timed) == (sum(switch["cycles"].values()) if on else 0)
        found.add((measured["variant"], measured["repeat"], bool(timed)))
    assert found == {
        (name, repeat, name in STEPS) for name in toggled["launch"]["variants"] for repeat in (0, 1)
    }


def test_the_timer_changes_no_token(toggled: Row) -> None:
    """On or off, and with 3 steps or none, a prompt has one answer, in as many cycles."""
    for index in range(len(PROMPTS)):
        assert len({measured["requests"][index]["output"] for measured in toggled["passes"]}) == 1
    for name, twin in (("none-untimed.default", "none.default"), ("s3-untimed.default", "s3.default")):
        counted = [
            measured["switch"]["cycles"]
            for measured in toggled["passes"]
            if measured["variant"] in (name, twin)
        ]
        assert counted == counted[:1] * 4


def test_tokens_are_those_of_a_server_without_speculation(shared: Row, dedicated: Row) -> None:
    """In float32, whatever was switched to, and with the baseline's own candidates at each token."""
    for index, expected in enumerate(dedicated["outputs"]):
        outputs = {measured["requests"][index]["output"] for measured in shared["passes"]}

        assert outputs == {expected} == {shared["reference"][index]["output"]}


def test_more_steps_accept_more(shared: Row) -> None:
    """The same tokens take fewer cycles at each further step, and one each at the baseline."""
    alone = [measured for measured in shared["passes"] if measured["load"] == 1]
    cycles = {measured["variant"]: sum(measured["switch"]["cycles"].values()) for measured in alone}

    assert cycles["none.default"] == 2 * 63
    assert cycles["none.default"] > cycles["s1.default"] > cycles["s2.default"] > cycles["s3.default"]


def test_a_server_that_is_not_to_be_switched_is_left_alone(dedicated: Row) -> None:
    """Without its variable the plugin hooks nothing."""
    assert dedicated["switched"] is False
    assert "sweetspot_switch" not in dedicated["state"]
    assert "plugin=switch" not in dedicated["log"]


def test_all_ranks_switch_and_none_while_a_request_is_in_flight(
    engine: base.Engine, folders: dict[str, Path], settings: Row, tmp_path: Path
) -> None:
    """A switch is refused until the last token is out, and then made on both ranks."""
    args = settings["args"] | SPECULATION | {"speculative-adaptive": True, "tp-size": 2}
    body = {"input_ids": PROMPTS[0]["input_ids"], "sampling_params": GENERATION | {"max_new_tokens": 200}}
    answers: list[Row] = []
    log = tmp_path / "server.log"
    cores = sorted(os.sched_getaffinity(0))
    each_rank_its_core = settings["env"] | {"SGLANG_CPU_OMP_THREADS_BIND": f"{cores[0]}|{cores[-1]}"}
    with Server(engine, folders, args, each_rank_its_core, log, 200, candidates=[0, 3]) as server:
        assert server.switch(3)
        request = threading.Thread(target=lambda: answers.append(server.generate(body, 120)))
        request.start()
        while not server.running()["cycles"]:
            pass
        refused = server.switch(0)
        request.join()

        assert refused is False
        assert list(server.running()["cycles"]) == ["3"]
        assert server.switch(0)
        assert server.switch(1) is False  # no candidate
        assert server.generate(body, 120)["output_ids"] == answers[0]["output_ids"]
        assert list(server.running()["cycles"]) == ["plain"]
    for rank in ("TP0", "TP1"):
        said = [line for line in log.read_text().splitlines() if f" {rank}] switch to " in line]
        assert [line.rpartition(": ")[2] for line in said] == ["done", "refused", "done", "refused"]
