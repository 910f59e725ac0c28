from collections.abc import Callable
from typing import Any

import pytest

from sweetspot.engine.plugin import UNITS
from sweetspot.errors import MeasureError, RecordError
from sweetspot.measure.checks import check
from sweetspot.run.cycles import Cycles

Row = dict[str, Any]


@pytest.fixture
def plan(make_plan: Callable[..., Row]) -> Row:
    """Return a plan of a baseline and one step, with two rounds of two repeats."""
    return make_plan(1, rounds=2, repeats=2)


@pytest.fixture
def record(plan: Row, make_pass: Callable[..., Row], make_record: Callable[..., Row]) -> Row:
    """Return a complete record of that plan."""
    passes = [make_pass([1, 0], repeat=repeat) for repeat in range(2)]
    return make_record(plan, "s1.default", passes)


FAILURE = {"kind": "died", "message": "exit status 9", "last_words": []}


class TestCheck:
    """Tests of `check`."""

    def test_as_planned(self, record: Row, plan: Row) -> None:
        """A record of the plan passes, whatever was changed that its numbers do not depend on."""
        plan["workload"] = plan["workload"] | {"near_tie_nats": 0.1, "limits": {"start_s": 9, "stall_s": 9}}

        check(record, plan)

    def test_failed_early(self, record: Row, plan: Row) -> None:
        """A launch that failed may have any of its passes."""
        check(record | {"status": "failed", "failure": FAILURE, "passes": record["passes"][:1]}, plan)
        check(record | {"status": "failed", "failure": FAILURE, "passes": []}, plan)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            (
                {"engine": {"name": "engine-cpu"}},
                "engine engine-cpu, expected fake; measure this launch again",
            ),
            ({"prompts_sha256": "abd"}, "prompts_sha256 abd, expected abc; measure this launch again"),
            ({"round": 2}, "round 2, expected 0 to 1; remove it"),
            ({"status": "failed"}, "status failed with failure None"),
            ({"failure": FAILURE}, "status complete with failure"),
            ({"passes": []}, r"no pass \('s1.default', 1, 0\), expected 2 passes; measure this launch again"),
        ],
    )
    def test_not_as_planned(self, record: Row, plan: Row, changes: Row, message: str) -> None:
        """Each difference names the record, what it says and what the plan says."""
        record |= changes

        with pytest.raises(RecordError, match=rf"^run/s1.default/{record['round']}/record.json: {message}"):
            check(record, plan)

    @pytest.mark.parametrize(
        ("part", "key", "value"),
        [
            ("identity", "settings", "of other arguments"),
            ("launch", "variants", ["s2.default"]),
            ("workload", "loads", [1, 8]),
            ("workload", "repeats", 3),
            ("workload", "warmup_passes", 1),
            ("workload", "generation", {"temperature": 1}),
        ],
    )
    def test_measured_differently(self, record: Row, plan: Row, part: str, key: str, value: object) -> None:
        """Arguments, environment and workload are those of the plan."""
        record[part] = record[part] | {key: value}

        with pytest.raises(RecordError, match=f"{key} .*, expected .*; measure this launch again"):
            check(record, plan)

    def test_unknown_launch(self, record: Row, plan: Row) -> None:
        """A record left over from an earlier plan is not measured."""
        record["launch"] = record["launch"] | {"id": "s9.default"}

        with pytest.raises(RecordError, match="not in the plan, expected one of its 2 launches; remove it"):
            check(record, plan)

    @pytest.mark.parametrize("change", [{"repeat": 0}, {"load": 4}, {"variant": "none.default"}])
    def test_unplanned_pass(self, record: Row, plan: Row, change: Row) -> None:
        """A pass twice, at another load, or of another launch's variant is refused."""
        record["passes"][1] |= change

        with pytest.raises(RecordError, match="times, expected a pass of the plan once"):
            check(record, plan)

    def test_output_lost(self, record: Row, plan: Row) -> None:
        """Each request's tokens are in the record."""
        del record["outputs"][record["passes"][0]["requests"][1]["output"]]

        with pytest.raises(
            MeasureError, match=r"s1.default, prompt p1: output of None tokens, expected completion"
        ):
            check(record, plan)

    def test_output_of_another_length(self, record: Row, plan: Row) -> None:
        """As many tokens were kept as were counted."""
        record["passes"][1]["requests"][0]["completion_tokens"] = 10

        with pytest.raises(
            MeasureError, match="prompt p0: output of 9 tokens, expected completion_tokens 10"
        ):
            check(record, plan)


class TestSwitches:
    """Tests of `check` on a launch that measured several variants."""

    @pytest.fixture
    def plan(self, make_plan: Callable[..., Row]) -> Row:
        """Return a plan of a baseline and one step that share their start."""
        plan = make_plan(1)
        launch = plan["launches"][0] | {"id": "oneload.default", "kind": "oneload"}
        return plan | {"launches": [launch | {"variants": ["none.default", "s1.default"]}]}

    @pytest.fixture
    def record(self, plan: Row, make_pass: Callable[..., Row], make_record: Callable[..., Row]) -> Row:
        """Return its record, as a server that switched left it."""
        passes = {"none.default": [make_pass()], "s1.default": [make_pass([1, 0])]}
        record = make_record(plan, "oneload.default", passes)
        record["passes"][0]["switch"] = {"cycles": {"plain": 16}}
        record["passes"][1]["switch"] = {"cycles": {"1": 12}}
        return record

    def test_as_asked(self, record: Row, plan: Row) -> None:
        """The baseline ran ordinary decode steps, the chain its step count."""
        check(record, plan)

    @pytest.mark.parametrize(
        "cycles", [{"1": 16}, {"0": 16}, {"plain": 15, "1": 1}, {}], ids=["other", "zero", "mixed", "none"]
    )
    def test_something_else_ran(self, record: Row, plan: Row, cycles: Row) -> None:
        """A pass is of its variant only if the server counted nothing else, SGLang's 0 steps included."""
        record["passes"][0]["switch"]["cycles"] = cycles

        with pytest.raises(RecordError, match=r"none.default, cycles \{.*\}, expected plain steps alone; "):
            check(record, plan)

    @pytest.mark.parametrize(
        ("without", "message"),
        [
            ("s1.default", None),
            ("none.default", "none.default, repeat 0: 16 timed cycles, expected none with the timer off; "),
            (None, None),
        ],
    )
    def test_the_timer_was_as_asked(
        self, record: Row, plan: Row, without: str | None, message: str | None
    ) -> None:
        """A pass without the timer has no cycles, one with it has some; where it is not turned, whatever."""
        record["passes"][0] |= {"began_us": 1000, "ended_us": 2000}
        record["passes"][1] |= {"began_us": 3000, "ended_us": 4000}
        rows: list[list[int | None]] = [[1000 + i] + [0] * (len(UNITS) - 1) for i in range(16)]
        variants = [variant | {"untimed": variant["id"] == without} for variant in plan["variants"]]
        record["cycles"] = Cycles("made_up", rows)

        if message is None:
            check(record, plan | {"variants": variants})
        else:
            with pytest.raises(RecordError, match=message):
                check(record, plan | {"variants": variants})

    def test_never_switched(self, record: Row, plan: Row) -> None:
        """A pass without a proof is none of a shared launch."""
        del record["passes"][1]["switch"]

        with pytest.raises(RecordError, match=r"s1.default, cycles \{\}, expected 1 steps alone"):
            check(record, plan)
