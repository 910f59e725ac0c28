"""The whole path on the real engine: SGLang's server and its EAGLE-3 worker, on this machine's CPU."""

import json
import subprocess
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl
import psutil
import pytest
import yaml

from sweetspot.errors import InstallError
from sweetspot.host import env
from sweetspot.models.orbit import walk
from sweetspot.models.spec import spec
from sweetspot.run.record import read, unpack
from tests.workflow.project import ROOT, Project

pytestmark = pytest.mark.engine


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The default study with a baseline and two steps, one round and little to say, measured from nothing."""
    try:
        env.python_of("engine-cpu")
    except InstallError as missing:
        pytest.skip(str(missing))
    project = Project(tmp_path_factory.mktemp("real"))
    project.study = yaml.safe_load((ROOT / "config.yaml").read_text())
    project.study |= {"name": "small", "engine": "engine-cpu", "rounds": 1, "repeats": 2}
    project.study["speculation"]["num_steps"] = [2]
    project.study["generation"]["max_new_tokens"] = 96
    project.study["prompts"]["file"] = str(ROOT / project.study["prompts"]["file"])
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
        env={**record["server"]["env"], "PYTHONPATH": str(ROOT / "sweetspot/engine/cpu/site")},
        capture_output=True,
        text=True,
    )

    assert answer.stdout.splitlines()[-1:] == ["2"], answer.stderr[-2000:]
    assert Path(record["server"]["command"][0]).name == "python"
