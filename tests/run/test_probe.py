"""Tests of `sweetspot.run.probe` and `sweetspot.run.allreduce`, against the stand-in server."""

import gzip
import json
from pathlib import Path
from typing import Any

import psutil
import pytest

from sweetspot.engine import base
from sweetspot.run.allreduce import allreduce
from sweetspot.run.probe import probe

PROBED = {"messages": [{"bytes": 256}, {"bytes": 128}], "target": {"dtype": "bfloat16"}, "reason": None}
pytestmark = pytest.mark.server

LIMITS = {"start_s": 20.0, "stall_s": 20.0}


@pytest.fixture(autouse=True)
def own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the tests' runs from waiting for other runs on this machine."""
    monkeypatch.setattr("sweetspot.run.lock.PLACE", tmp_path / "host.lock")


def asked(**changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return what is asked of a probe with two steps on two GPUs."""
    args = {"tp-size": 2, "disable-custom-all-reduce": True, "context-length": 64}
    args |= {"speculative-num-steps": 2, "speculative-num-draft-tokens": 3}
    whole = {"nccl": "ll", "args": args, "env": {"NCCL_PROTO": "LL"}, "draft_tokens": [1, 3], "loads": [1, 2]}
    return whole | {"skip": None} | changes


def probed(folder: Path, **changes: Any) -> tuple[dict[str, Any], list[str]]:  # noqa: ANN401
    """Probe, and return the record and the lines of NCCL's log."""
    target = folder / "target"
    target.mkdir()
    (target / "config.json").write_text(json.dumps({"hidden_size": 64, "num_hidden_layers": 2}))
    out = folder / "probe" / "probe.json"
    probe(asked(**changes), base.fake(), {"target": target, "draft": target}, LIMITS, out)
    with gzip.open(out.with_name("nccl.log.gz"), "rt") as log:
        return json.loads(out.read_text()), log.read().splitlines()


class TestProbe:
    """Tests of `probe`."""

    def test_keeps_what_nccl_wrote(self, tmp_path: Path) -> None:
        """Every message of the study has as many lines as a pass has all-reduces, or more."""
        record, lines = probed(tmp_path)

        assert (record["status"], record["reason"]) == ("complete", None)
        assert record["target"] == {"hidden_size": 64, "layers": 2, "dtype": "bfloat16"}
        assert [message["bytes"] for message in record["messages"]] == [128, 256, 384, 768]
        found = {
            message["bytes"]: sum(f"AllReduce: {message['bytes']} Bytes" in line for line in lines)
            for message in record["messages"]
        }
        assert found == {128: 5, 256: 20, 384: 5, 768: 5}  # the verifies', 384 and 768, are of graphs alone
        assert any("NCCL_PROTO set by environment to LL" in line for line in lines)

    def test_starts_nothing_where_there_is_nothing(self, tmp_path: Path) -> None:
        """The reason is the record."""
        record, lines = probed(tmp_path, skip="one GPU")

        assert (record["status"], record["reason"], record["server"], lines) == ("skipped", "one GPU", {}, [])

    def test_a_target_of_unknown_size(self, tmp_path: Path) -> None:
        """It may be served all the same, so the study goes on without this proof."""
        record, _ = probed(tmp_path, args={"tp-size": 2, "dtype": "fp8"})

        assert (record["status"], record["messages"]) == ("failed", [])
        assert record["reason"].startswith("dtype: 'fp8', expected one of")

    def test_a_server_that_dies(self, tmp_path: Path) -> None:
        """The record says so, with the server's last words; the study goes on."""
        record, _ = probed(tmp_path, env={"FAKE_FAULT": "die-at-start"})

        assert record["status"] == "failed"
        assert record["reason"].startswith("the server: died at its start with exit status 1")
        assert record["last_words"] == ["RuntimeError: made up, at the start"]


class TestAllreduce:
    """Tests of `allreduce`; what it times is tested on the engine's own torch."""

    @pytest.mark.parametrize(
        ("messages", "skip", "reason"),
        [
            ([], "one GPU", "one GPU"),
            ([{"bytes": 1}], None, "the stand-in has no torch"),
        ],
    )
    def test_says_why_nothing_is_timed(
        self, tmp_path: Path, messages: list[dict[str, int]], skip: str | None, reason: str
    ) -> None:
        """A skip has its reason, and the environment that SGLang would have given NCCL."""
        out = tmp_path / "allreduce.json"

        allreduce(asked(skip=skip), {"messages": messages, "reason": None}, base.fake(), "0.5.16", out)

        record = json.loads(out.read_text())
        assert (record["status"], record["reason"], record["timed"]) == ("skipped", reason, None)
        assert record["env"] == {
            "CUDA_DEVICE_MAX_CONNECTIONS": "8",
            "CUDA_MODULE_LOADING": "AUTO",
            "NCCL_CUMEM_ENABLE": "0",
            "NCCL_NVLS_ENABLE": "0",
            "NCCL_PROTO": "LL",
        }

    def test_keeps_times_and_what_nccl_wrote(self, tmp_path: Path) -> None:
        """The program gets each size once, with the ranks and the dtype of the server."""
        said, record = timed_by(tmp_path, 'echo {} >"$out"; echo hello >"$NCCL_DEBUG_FILE"')

        assert (record["status"], record["reason"], record["timed"]) == ("complete", None, {})
        assert "--ranks 2 --device cuda --dtype bfloat16 " in said and " --bytes 128 256 --out " in said
        with gzip.open(tmp_path / "nccl.log.gz", "rt") as log:
            assert log.read() == "hello\n"

    def test_one_that_hangs(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is given up with the size at which it was, the sizes before are kept, and its ranks end."""
        monkeypatch.setattr("sweetspot.run.allreduce.LIMIT_S", 1.0)
        rank = f"setsid sleep 600 & echo $! >{tmp_path}/rank"

        _, record = timed_by(tmp_path, f'{rank}; echo \'{{"sizes": [1]}}\' >"$out"; echo at 256 bytes; wait')

        assert record["status"] == "failed"
        assert record["reason"] == "not done after 1 s; its last words: at 256 bytes"
        assert record["timed"] == {"sizes": [1]}
        assert not psutil.pid_exists(int((tmp_path / "rank").read_text()))

    def test_one_that_dies(self, tmp_path: Path) -> None:
        """The reason is its last line, whatever came before."""
        _, record = timed_by(tmp_path, "echo at 128 bytes; echo NCCL error: made up >&2; exit 3")

        assert (record["status"], record["timed"]) == ("failed", None)
        assert record["reason"] == "ended with status 3; its last words: NCCL error: made up"
        assert record["last_words"] == ["at 128 bytes", "NCCL error: made up"]


def timed_by(folder: Path, script: str) -> tuple[str, dict[str, Any]]:
    """Let a shell script stand for the program; return what it was told by, and the record."""
    python, out = folder / "python", folder / "allreduce.json"
    python.write_text(f'#!/bin/sh\necho "$@" >{folder}/told\nfor out; do :; done\n{script}\n')
    python.chmod(0o755)
    allreduce(asked(), PROBED, base.sglang("external", python), "0.5.16", out)
    return (folder / "told").read_text(), json.loads(out.read_text())
