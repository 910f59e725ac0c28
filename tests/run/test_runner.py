"""The runner and its client, against the stand-in server: real processes, real HTTP."""

import argparse
import gzip
import json
import re
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from sweetspot.engine import base
from sweetspot.engine.fake_state import Fake
from sweetspot.engine.plugin import UNITS
from sweetspot.engine.sglang import BUSY_S
from sweetspot.errors import EngineError
from sweetspot.run.cycles import Cycles, read_cycles
from sweetspot.run.job import Job, order_of_passes
from sweetspot.run.record import read, unpack
from sweetspot.run.runner import measure

pytestmark = pytest.mark.server

VARIANTS = {"none.default": 0, "s1.default": 1, "s2.default": 2}
PROMPTS = [{"id": f"p{i}", "input_ids": [i, i + 1, i + 2]} for i in range(3)]


@pytest.fixture(autouse=True)
def own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the tests' runs from waiting for other runs on this machine."""
    monkeypatch.setattr("sweetspot.run.lock.PLACE", tmp_path / "host.lock")


def job(**changes: Any) -> Job:  # noqa: ANN401
    """Return a job on the stand-in of one variant, or of all `VARIANTS` for `oneload.default`."""
    variant = changes.pop("variant", "s2.default")
    num_steps = {variant: VARIANTS[variant]} if variant in VARIANTS else VARIANTS
    most = max(num_steps.values())
    launch = {
        "id": variant,
        "kind": "dedicated" if variant in VARIANTS else "oneload",
        "variants": list(num_steps),
        "candidates": [] if variant in VARIANTS else sorted(VARIANTS.values()),
        "args": {"speculative-algorithm": "EAGLE3", "speculative-num-steps": most} if most else {},
        "env": {"FAKE_FAULT": changes.pop("fault", "")},
    }
    workload = {
        "loads": changes.pop("loads", [1]),
        "repeats": changes.pop("repeats", 2),
        "warmup_passes": 1,
        "profile": changes.pop("profile", "none"),
        "generation": {"max_new_tokens": 24, "ignore_eos": True, "temperature": 0},
        "limits": {"start_s": changes.pop("start_s", 20), "stall_s": changes.pop("stall_s", 20)},
    }
    facts = {
        "protocol": 1,
        "identity": {"launch": variant},
        "host": {"cpu": {"model": socket.gethostname()}},
        "engine": {"name": "fake"},
        "models": {},
        "prompts_sha256": "0" * 64,
    }
    folders = {"target": Path("target"), "draft": Path("draft")}
    untimed = changes.pop("untimed", ())
    return Job(launch, 0, 7, num_steps, workload, base.fake(), folders, PROMPTS, facts, untimed)


def measured(job: Job, folder: Path) -> dict[str, Any]:
    """Measure *job* and read its record back."""
    measure(job, folder / "record.json", folder / "live.log")
    return read(folder / "record.json")


class TestMeasure:
    """Tests of `measure`."""

    def test_records_every_pass_in_the_shuffled_order(self, tmp_path: Path) -> None:
        """A record has each load and repeat once, as `order_of_passes` says, with all prompts."""
        work = job(loads=[1, 2], repeats=3)

        record = measured(work, tmp_path)

        assert record["status"] == "complete"
        assert [(p["variant"], p["load"], p["repeat"]) for p in record["passes"]] == order_of_passes(work)
        assert [r["prompt"] for r in record["passes"][0]["requests"]] == ["p0", "p1", "p2"]

    def test_chunks_arrive_in_order_and_add_up(self, tmp_path: Path) -> None:
        """Arrival times rise, and the last chunk's count is the number of tokens."""
        request = measured(job(), tmp_path)["passes"][0]["requests"][1]

        arrivals, counts = list(unpack(request["chunk_us"])), list(unpack(request["chunk_tokens"]))

        assert arrivals == sorted(arrivals)
        assert request["sent_us"] < arrivals[0]
        assert len(arrivals) == len(counts) == request["meta"]["spec_verify_ct"] + 1
        assert counts[-1] == request["completion_tokens"] == 24

    def test_load_is_the_number_of_requests_in_flight(self, tmp_path: Path) -> None:
        """At load 2 the third request is sent when one of the first two has ended."""
        requests = measured(job(loads=[2]), tmp_path)["passes"][0]["requests"]

        ends = sorted(unpack(request["chunk_us"])[-1] for request in requests[:2])

        assert requests[1]["sent_us"] < ends[0] <= requests[2]["sent_us"]

    def test_equal_outputs_are_stored_once(self, tmp_path: Path) -> None:
        """Three prompts give three outputs, however often they are repeated."""
        record = measured(job(repeats=4), tmp_path)

        assert len(record["outputs"]) == 3
        assert len(unpack(record["outputs"][record["passes"][0]["requests"][0]["output"]])) == 24

    def test_only_a_baseline_has_a_reference(self, tmp_path: Path) -> None:
        """The candidates for each token come from the baseline alone."""
        speculative = measured(job(), tmp_path / "s2")
        baseline = measured(job(variant="none.default"), tmp_path / "none")

        assert speculative["reference"] == []
        assert [r["prompt"] for r in baseline["reference"]] == ["p0", "p1", "p2"]
        assert len(unpack(baseline["reference"][0]["top_ids"])) == 24 * 4

    @pytest.mark.parametrize(("variant", "steps"), [("none.default", 0), ("s2.default", 2)])
    def test_cycles_are_those_of_the_passes(self, tmp_path: Path, variant: str, steps: int) -> None:
        """Each cycle of a timed pass, none of the warm-up and none of the reference."""
        record = measured(job(variant=variant, profile="phases"), tmp_path)

        cycles = read_cycles(tmp_path / "cycles.jsonl.gz")
        rows = [dict(zip(UNITS, row, strict=True)) for row in cycles.rows]

        chunks = [len(unpack(r["chunk_us"])) for p in record["passes"] for r in p["requests"]]
        assert cycles.clock == "made_up"
        assert len(rows) == sum(chunks) - len(chunks)  # prefill gave the first chunk of each
        assert {row["num_steps"] for row in rows} == {steps}
        assert sum(1 - row["followed"] for row in rows) == len(chunks)

    def test_cycles_of_an_earlier_start_do_not_count(self, tmp_path: Path) -> None:
        """What a launch before it left behind is removed."""
        (tmp_path / "live.cycles.1").write_text("{}\n")

        record = measured(job(profile="phases"), tmp_path)

        assert record["status"] == "complete"

    def test_no_profile_no_cycles(self, tmp_path: Path) -> None:
        """The file is there, for the workflow, and empty."""
        measured(job(), tmp_path)

        assert read_cycles(tmp_path / "cycles.jsonl.gz") == Cycles(None, [])

    def test_no_secret_and_no_name_is_written(self, tmp_path: Path) -> None:
        """The key that the server prints, and the host's name, are in neither record nor log."""
        record = measured(job(), tmp_path)

        log = gzip.decompress((tmp_path / "server.log.gz").read_bytes()).decode()
        text = json.dumps(record)

        assert record["server"]["command"][record["server"]["command"].index("--api-key") + 1] == "<hidden>"
        assert record["server"]["resolved"]["api_key"] == "<hidden>"
        assert "'api_key': '<hidden>'" in log
        assert not re.search(r"\b[0-9a-f]{32}\b", text + log)
        assert socket.gethostname() not in text + log

    def test_a_server_that_is_not_done_yet_is_asked_again(self, tmp_path: Path) -> None:
        """A request's last token is out before the server is done with it; its caches are emptied then."""
        record = measured(job(variant="none.default", fault="lingers"), tmp_path)

        assert record["status"] == "complete"
        assert len(record["reference"]) == 3


class TestFailure:
    """A launch that fails is recorded, with what was measured before and the server's last words."""

    @pytest.mark.parametrize(
        ("fault", "kind"),
        [
            ("die-at-start", "start_died"),
            ("never-healthy", "start_timeout"),
            ("die", "died"),
            ("stall", "stalled"),
            ("refuse", "refused"),
            ("garble", "bad_answer"),
            ("cut-short", "bad_answer"),
        ],
    )
    def test_each_kind(self, tmp_path: Path, fault: str, kind: str) -> None:
        """Each way of failing is told apart."""
        record = measured(job(fault=fault, start_s=1 if kind == "start_timeout" else 20, stall_s=1), tmp_path)

        assert record["status"] == "failed"
        assert record["failure"]["kind"] == kind
        assert ", expected " in record["failure"]["message"] or kind == "bad_answer"
        assert "\n" not in record["failure"]["message"]
        assert (record["server"]["start_s"] is None) is kind.startswith("start")

    def test_a_server_that_is_never_done(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It is not asked for ever."""
        monkeypatch.setattr("sweetspot.engine.sglang.BUSY_S", 0.1)

        record = measured(job(fault="never-idle"), tmp_path)

        assert record["failure"]["kind"] == "refused"
        assert record["failure"]["message"] == "/flush_cache: status 400, expected 200; Flush cache failed."

    def test_a_server_that_can_not_flush(self, tmp_path: Path) -> None:
        """What does not say that requests are running is believed at once."""
        began = time.monotonic()

        record = measured(job(fault="no-flush"), tmp_path)

        assert record["failure"]["message"] == "/flush_cache: status 500, expected 200; Flush cache failed."
        assert time.monotonic() - began < BUSY_S

    def test_last_words_are_the_servers(self, tmp_path: Path) -> None:
        """What the server printed before it died is in the record."""
        record = measured(job(fault="die"), tmp_path)

        assert record["failure"]["last_words"][-1] == "Scheduler hit an exception: made up"

    def test_a_timer_that_timed_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Passes without the cycles that were asked for are no complete launch."""
        monkeypatch.setattr("sweetspot.engine.sglang.TIMER", "ANOTHER_VARIABLE")
        monkeypatch.setattr("sweetspot.run.cycles.SETTLE_S", 0.1)

        record = measured(job(profile="phases"), tmp_path)

        assert record["failure"]["kind"] == "untimed"
        assert len(record["passes"]) == 2

    def test_a_plugin_that_refuses_is_quoted(self, tmp_path: Path) -> None:
        """The line in which a plugin says why the server must not start is the failure's."""
        record = measured(job(fault="refuse-start"), tmp_path)

        assert record["failure"]["kind"] == "start_died"
        assert "expected it healthy; sweetspot_timer: made up" in record["failure"]["message"]

    def test_passes_before_the_failure_are_kept(self, tmp_path: Path) -> None:
        """Nothing that was measured is lost."""
        record = measured(job(fault="die-after-9", repeats=5), tmp_path)

        assert record["failure"]["kind"] == "died"
        assert len(record["passes"]) == 2

    def test_a_launch_that_is_given_up(self, tmp_path: Path) -> None:
        """Nothing is started, and the record of it has no server's words, least of all another start's."""
        (tmp_path / "live.log").write_text("of another start")

        measure(
            job(), tmp_path / "record.json", tmp_path / "live.log", EngineError("not started", "given_up")
        )

        record = read(tmp_path / "record.json")
        assert record["failure"] == {"kind": "given_up", "message": "not started", "last_words": []}
        assert (record["server"]["start_s"], record["passes"]) == (None, [])
        assert gzip.decompress((tmp_path / "server.log.gz").read_bytes()) == b""


def _inside(start_us: int | None, measured_pass: dict[str, Any]) -> bool:
    return start_us is not None and measured_pass["began_us"] <= start_us <= measured_pass["ended_us"]


class TestSwitching:
    """A launch that measures several variants."""

    def test_all_variants_in_one_shuffled_order(self, tmp_path: Path) -> None:
        """Every variant, load and repeat once, in another order than that of the variants."""
        work = job(variant="oneload.default", loads=[1, 2], repeats=3)

        record = measured(work, tmp_path)

        order = [(p["variant"], p["load"], p["repeat"]) for p in record["passes"]]
        assert order == order_of_passes(work) != sorted(order)
        assert len(order) == 3 * 2 * 3

    def test_each_pass_has_its_proof(self, tmp_path: Path) -> None:
        """What was asked, answered and said by the server, and the cycles that it counted."""
        record = measured(job(variant="oneload.default"), tmp_path)

        assert len(record["passes"]) == 6
        for measured_pass in record["passes"]:
            num_steps, switch = VARIANTS[measured_pass["variant"]], measured_pass["switch"]
            verified = sum(request["meta"]["spec_verify_ct"] for request in measured_pass["requests"])
            assert switch == {
                "asked": num_steps,
                "answered": True,
                "num_steps": num_steps,
                "cycles": {str(num_steps or "plain"): verified},
            }

    def test_the_reference_is_the_baselines(self, tmp_path: Path) -> None:
        """After all passes the server is switched to the baseline for its candidates."""
        record = measured(job(variant="oneload.default"), tmp_path)

        assert [entry["prompt"] for entry in record["reference"]] == ["p0", "p1", "p2"]

    def test_the_candidates_are_in_no_argument_of_the_study(self, tmp_path: Path) -> None:
        """SGLang reads them from a file of the runner's, beside the log."""
        measured(job(variant="oneload.default"), tmp_path)

        text = (tmp_path / "live.steps.json").read_text()
        assert json.loads(text) == {"1": {"candidate_steps": [0, 1, 2]}}

    @pytest.mark.parametrize(
        ("fault", "message"),
        [
            ("no-switch", "/set_internal_state: the switch to 0 steps is refused, expected it obeyed; "),
            ("switch-lies", "the server: cycles {'2': "),
        ],
    )
    def test_a_server_that_does_not_switch_fails_its_launch(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, message: str
    ) -> None:
        """Nothing is measured under another variant's name."""
        monkeypatch.setattr("sweetspot.run.switch.BUSY_S", 0.1)

        record = measured(job(variant="oneload.default", fault=fault), tmp_path)

        assert record["failure"]["kind"] == "no_switch"
        assert record["failure"]["message"].startswith(message)
        assert record["passes"] == []

    def test_the_timer_is_turned(self, tmp_path: Path) -> None:
        """Off for the variants that ask for it and on for all others, pass by pass."""
        work = job(variant="oneload.default", profile="phases", untimed=("s2.default",))

        record = measured(work, tmp_path)

        cycles = read_cycles(tmp_path / "cycles.jsonl.gz")
        assert record["status"] == "complete"
        for measured_pass in record["passes"]:
            timed = [row for row in cycles.rows if _inside(row[0], measured_pass)]
            on = measured_pass["variant"] != "s2.default"
            assert measured_pass["switch"]["timer"] is on
            assert len(timed) == (sum(measured_pass["switch"]["cycles"].values()) if on else 0)

    def test_a_timer_that_stays_on_fails_its_launch(self, tmp_path: Path) -> None:
        """A pass that was timed is none without the timer, and what was measured is kept."""
        work = job(
            variant="oneload.default", profile="phases", untimed=("s2.default",), fault="timer-stays-on"
        )

        record = measured(work, tmp_path)

        assert record["failure"]["kind"] == "untimed"
        assert re.match(
            r"the timer: s2.default, repeat \d: \d+ timed cycles, expected none with the timer off; ",
            record["failure"]["message"],
        )
        assert len(record["passes"]) == 6

    def test_passes_before_the_lie_are_kept(self, tmp_path: Path) -> None:
        """What was proved stays measured."""
        record = measured(job(variant="oneload.default", fault="switch-lies-after-6"), tmp_path)

        assert record["failure"]["kind"] == "no_switch"
        assert record["passes"]
        assert all(str(VARIANTS[p["variant"]] or "plain") in p["switch"]["cycles"] for p in record["passes"])

    def test_a_server_that_is_busy_refuses(self) -> None:
        """The stand-in refuses as SGLang does, with a request in flight and for what is no candidate."""
        options = argparse.Namespace(
            speculative_num_steps=2, speculative_adaptive_config=None, disable_custom_all_reduce=True
        )
        server = Fake(options)
        server.candidates = [0, 2]

        server.in_flight = 1
        busy = server.switch(0, True)
        server.in_flight = 0

        assert (busy, server.switch(1, True), server.switch(0, True)) == (False, False, True)
