"""The command line as a shell meets it."""

import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from sweetspot.cli import main

ROOT = Path(__file__).parents[1]


def test_a_reader_that_has_seen_enough_is_no_fault() -> None:
    """`sweetspot plan | head` ends without a traceback."""
    reader, writer = os.pipe()
    os.close(reader)

    answer = subprocess.run(
        [sys.executable, "-c", "from sweetspot.cli import main; raise SystemExit(main(['plan']))"],
        cwd=ROOT,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
    )

    os.close(writer)
    assert answer.stderr == ""
    assert answer.returncode == 128 + 13


def test_a_fault_of_the_input_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It goes to standard error, with status 2 and without a traceback."""
    study = tmp_path / "none.yaml"

    status = main(["plan", str(study)])

    line = f"{study}: No such file or directory, expected a study file; name one that exists\n"
    assert (status, capsys.readouterr().err) == (2, line)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["plan", "config.yaml", "--out", "missing/plan.json"], "missing/plan.json: No such file"),
        (
            ["plan", "config.yaml", "--out", "/dev/full"],
            "a file: No space left on device, expected room for it; make some, `df -h . /tmp` says where",
        ),
        (["audit", "."], ".: Is a directory, expected a file"),
        (
            ["settle", "--study", "config.yaml", "--equality", "README.md", "--out", "x"],
            "README.md: Expecting",
        ),
        (["settle", "--study", "config.yaml", "--equality", "none", "--out", "x"], "none: No such file"),
    ],
)
def test_a_file_that_can_not_be_used_is_one_line(
    words: list[str], line: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wrong path, a full disk and a file of something else end in a line that names them, no traceback."""
    monkeypatch.chdir(ROOT)

    status = main(words)

    said = capsys.readouterr().err
    assert status == 2
    assert said.startswith(line)
    assert len(said.splitlines()) == 1


WRITTEN = ["--out", "out"]
RECORDS = ["--run", "run", "--plan", "plan.json"]
SERVED = ["--target", "t", "--draft", "d", "--python", "-", "--start-s", "1", "--stall-s", "1", *WRITTEN]


@pytest.mark.parametrize(
    ("words", "file"),
    [
        (["measure", *RECORDS, *WRITTEN], "plan.json"),
        (["equality", *RECORDS, *WRITTEN], "plan.json"),
        (["check", "--run", "run", "--plans", "plan.json", *WRITTEN], "plan.json"),
        (["command", *RECORDS, "--verdict", "x", *WRITTEN], "plan.json"),
        (["nccl", "--study", ".", "--summary", "x", "--plan", "plan.json", *WRITTEN], "plan.json"),
        (["verdict", "--summary", "x", "--plan", "plan.json", "--nccl", "x", *WRITTEN], "plan.json"),
        (["recheck", "--study", "x", "--summary", "plan.json", "--verdict", "x", *WRITTEN], "plan.json"),
        (["banner", *RECORDS, "--measure", ".", *WRITTEN], "passes.parquet"),
        (
            ["summarise", "--plan", "plan.json", "--measure", ".", "--apart", "x", *WRITTEN],
            "requests.parquet",
        ),
        (
            ["run", "--results", ".", "--asked", "plan.json", "--node", "x", "--host", "any", *SERVED],
            "plan.json",
        ),
        (["probe", "--asked", "x", "--engine", "plan.json", *SERVED], "plan.json"),
        (["compare", ".", "."], "plan/plan.json"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
@pytest.mark.parametrize("content", ["{}", "[]", "3", '{"name": "of another program", "version": 2}'])
def test_a_file_of_something_else_is_one_line(
    words: list[str],
    file: str,
    content: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A verb that is given some other JSON says which file, and what to do; no traceback."""
    for name in ("plan.json", "plan/plan.json", "passes.parquet", "requests.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sweetspot.engine.keeper.die_with_parent", lambda number, parent: None)
    monkeypatch.setattr("signal.signal", lambda number, handler: None)

    status = main(words)

    said = capsys.readouterr().err
    assert status == 2
    assert said.startswith(file)
    assert said.endswith("delete it, and snakemake makes it again\n")
    assert len(said.splitlines()) == 1


def test_a_verdict_of_an_older_version_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every key that a verb reads of it is asked for: it once had no `detail`."""
    monkeypatch.chdir(tmp_path)
    Path("plan.json").write_text(
        '{"rounds": 1, "verdict_load": 1, "variants": [], "launches": [], "workload": {}}'
    )
    Path("old.json").write_text('{"verdict_load": 1, "winner": null, "sentence": "", "rows": []}')
    pl.DataFrame().write_parquet("s.parquet")
    words = ["table", *RECORDS, "--summary", "s.parquet", "--nccl", "x", "--apart", "x", "--equality"]

    status = main([*words, "--verdict", "old.json", "--markdown", "x", "--csv", "x"])

    assert status == 2
    assert capsys.readouterr().err.startswith("old.json: no 'detail' in it, expected ")


def test_a_log_on_a_full_disk_is_no_silence() -> None:
    """What a rule's log has no room for goes where Snakemake's own words go."""
    with Path("/dev/full").open("w") as log:
        answer = subprocess.run(
            [
                sys.executable,
                "-c",
                "from sweetspot.cli import main; raise SystemExit(main(['audit', 'none']))",
            ],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )

    assert answer.returncode == 2
    assert answer.stdout.startswith("none: No such file or directory, expected a file")
