"""The whole path on the real engine: SGLang's server and its EAGLE-3 worker, on this machine's CPU."""

import json
import subprocess
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl
import psutil
import pytest

from sweetspot.engine import base, cpu
from sweetspot.engine.plugin import UNITS
from sweetspot.engine.sglang import Server
from sweetspot.errors import EngineError
from sweetspot.host import env
from sweetspot.models.spec import spec
from sweetspot.run.cycles import read_cycles
from sweetspot.run.record import read, unpack
from tests.engines import cpu_python
from tests.models.walk import walk
from tests.workflow.project import Project

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The default study with a baseline and two steps, one round and little to say, measured from nothing."""
    cpu_python()
    project = Project(tmp_path_factory.mktemp("real"))
    project.take_default_study(engine="engine-cpu", rounds=1, repeats=2)
    project.study["speculation"]["num_steps"] = [2]
    project.study["generation"]["max_new_tokens"] = 96
    project.save()
    answer = project.snakemake("all")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    return project


@pytest.fixture(scope="module")
def summary(measured: Project) -> dict[str, dict[str, Any]]:
    """The summary's rows by variant."""
    rows = pl.read_parquet(measured.folder / "results" / "small" / "summary.parquet").to_dicts()
    return {row["variant"]: row for row in rows}


def test_speculation_says_what_the_baseline_says(summary: dict[str, dict[str, Any]]) -> None:
    """In float32 every token of the speculative server is the baseline's, and the baseline's its own."""
    assert summary["none.default"]["exact"] == "reference"
    assert summary["none.default"]["noise_floor_share"] == 0
    assert summary["s2.default"]["exact"] == "exact"


def test_acceptance_is_what_the_pair_was_made_for(
    measured: Project, summary: dict[str, dict[str, Any]]
) -> None:
    """Every cycle of the real server accepts what the walk over the pair's orbit says, draft by draft."""
    orbit = spec({"shape": "tiny", "acceptance": [0.75], "seed": 0}).orbit()
    record = read(measured.record("s2.default"))

    for request in record["passes"][0]["requests"]:
        output = unpack(record["outputs"][request["output"]])
        cycles = sum(request["meta"]["spec_correct_drafts_histogram"])
        accepted = list(islice(walk(orbit, output[0], 2), cycles))

        assert [accepted.count(drafts) for drafts in range(3)] == pytest.approx(
            request["meta"]["spec_correct_drafts_histogram"],
            abs=1,  # the last cycle may be cut short
        )
    assert summary["s2.default"]["accept_length"] > 2


def test_the_records_agree_with_the_servers_counters(measured: Project) -> None:
    """Every chunk is one cycle, and the tokens in the chunks are those that the server counted."""
    record = read(measured.record("s2.default"))

    assert len(record["passes"]) == 2
    for pass_ in record["passes"]:
        for request in pass_["requests"]:
            histogram = request["meta"]["spec_correct_drafts_histogram"]
            accepted = sum(drafts * cycles for drafts, cycles in enumerate(histogram))
            assert sum(histogram) == request["meta"]["spec_verify_ct"]
            assert accepted == request["meta"]["spec_num_correct_drafts"]
            assert list(unpack(request["chunk_tokens"]))[-1] == request["completion_tokens"] == 96


def test_the_record_says_what_served(measured: Project) -> None:
    """Version, resolved settings and packages are there, and the key is not."""
    record = read(measured.record("s2.default"))

    assert record["engine"]["packages"]["sglang"] == "0.5.23"
    assert record["server"]["resolved"]["speculative_num_steps"] == 2
    assert record["server"]["resolved"]["disable_radix_cache"] is True
    assert record["server"]["resolved"]["api_key"] == "<hidden>"


def test_nothing_is_left(measured: Project) -> None:
    """No process of the servers runs on."""
    left = [
        process for process in psutil.process_iter(["cwd"]) if process.info["cwd"] == str(measured.folder)
    ]

    assert left == []


def test_the_report_warns_of_the_cpu(measured: Project) -> None:
    """Nobody can take these speeds for a GPU's, or the acceptance for a finding."""
    report = (measured.folder / "results" / "small" / "report.html").read_text()

    assert "CPU: says nothing about a GPU" in report
    assert "Acceptance is a dial of a constructed pair" in report


def test_the_command_is_accepted_by_the_engine(measured: Project) -> None:
    """What the record says was run is what SGLang's own parser takes."""
    record = read(measured.record("s2.default"))
    program = (
        "import json, sys; from sglang.srt.server_args import prepare_server_args;"
        "print(prepare_server_args(json.loads(sys.argv[1])).speculative_num_steps)"
    )
    words = json.dumps(record["server"]["command"][3:])

    answer = subprocess.run(
        [env.python_of("engine-cpu"), "-c", program, words],
        cwd=measured.folder,
        env={**record["server"]["env"], "PYTHONPATH": str(cpu.SITE)},
        capture_output=True,
        text=True,
    )

    assert answer.stdout.splitlines()[-1:] == ["2"], answer.stderr[-2000:]
    assert Path(record["server"]["command"][0]).name == "python"


@pytest.mark.parametrize(("variant", "steps"), [("none.default", 0), ("s2.default", 2)])
def test_every_cycle_is_timed(measured: Project, variant: str, steps: int) -> None:
    """Every cycle that the server counted, of the steps asked for, its phases inside it."""
    path = measured.record(variant)
    cycles = read_cycles(path.with_name("cycles.jsonl.gz"))
    rows = [dict(zip(UNITS, row, strict=True)) for row in cycles.rows]
    requests = [request for pass_ in read(path)["passes"] for request in pass_["requests"]]
    decoded = [request["completion_tokens"] - 1 for request in requests]
    counted = [request["meta"]["spec_verify_ct"] for request in requests] if steps else decoded

    assert cycles.clock == "host"
    assert len(rows) == sum(counted)
    assert {(row["num_steps"], row["plain"]) for row in rows} == {(steps, int(steps == 0))}
    for row in rows:
        phases = [row["draft_us"], row["verify_us"], row["extend_us"]]
        assert (phases == [None] * 3) if steps == 0 else (0 < sum(phases) <= row["call_us"] + 3)  # type: ignore[operator]
        assert row["call_us"] <= row["period_us"] + 1  # type: ignore[operator]
    assert sum(row["tokens"] for row in rows) >= sum(decoded)  # type: ignore[misc]


def test_phases_and_other_are_the_period(measured: Project, summary: dict[str, dict[str, Any]]) -> None:
    """They add up, and the periods fill the client's time in the pass that other work disturbed least."""
    row = summary["s2.default"]
    passes = pl.read_parquet(measured.folder / "results" / "small" / "measure" / "passes.parquet")

    assert sum(row[f"{p}_s"] for p in ("draft", "verify", "extend", "other")) == pytest.approx(row["cycle_s"])
    assert row["other_s"] > 0
    assert summary["none.default"]["decode_s"] < summary["none.default"]["cycle_s"]
    assert (passes["timed_share"] - 1).abs().min() < 0.02  # type: ignore[operator]


def test_a_renamed_method_is_refused(measured: Project, tmp_path: Path) -> None:
    """The server does not start, and the failure says which method the timer misses."""
    meta = tmp_path / "rename-1.dist-info"
    meta.mkdir()
    (meta / "METADATA").write_text("Metadata-Version: 2.1\nName: rename\nVersion: 1\n")
    (meta / "entry_points.txt").write_text("[sglang.srt.plugins]\nrename = rename:register\n")
    (tmp_path / "rename.py").write_text(
        "def register():\n"
        "    from sglang.srt.speculative.eagle_worker_v2 import EAGLEWorkerV2 as worker\n"
        "    worker.check = worker.verify\n"
        "    del worker.verify\n"
    )
    engine = base.sglang("engine-cpu", env.python_of("engine-cpu"))
    launch = read(measured.record("s2.default"))["launch"]
    models = json.loads((measured.folder / "results" / "small" / "models.json").read_text())
    folders = {role: measured.folder / models[role]["folder"] for role in ("target", "draft")}
    server = Server(
        replace(engine, import_paths=(tmp_path, *engine.import_paths)),
        folders,
        launch["args"],
        launch["env"],
        tmp_path / "log",
        120,
        cycles=tmp_path / "cycles",
    )

    with (
        pytest.raises(EngineError, match=r"; sweetspot_timer: .*EAGLEWorkerV2.verify: missing") as raised,
        server,
    ):
        pass

    assert raised.value.kind == "start_died"
