from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sweetspot.errors import MeasureError, RecordError
from sweetspot.measure.passes import PASSES
from sweetspot.measure.reduced import LAUNCHES
from sweetspot.measure.requests import REQUESTS, TEXT
from sweetspot.measure.tables import measure, measure_files
from sweetspot.run.cycles import write_cycles
from sweetspot.run.record import write

Row = dict[str, Any]


@pytest.fixture
def plan(make_plan: Callable[..., Row]) -> Row:
    """Return a plan of a baseline, steps 1 and 2, two rounds and two repeats."""
    return make_plan(1, 2, rounds=2, repeats=2)


@pytest.fixture
def records(plan: Row, make_pass: Callable[..., Row], make_record: Callable[..., Row]) -> list[Row]:
    """Return every record of that plan."""
    return [
        make_record(
            plan,
            variant["id"],
            [make_pass([variant["num_steps"]] if variant["num_steps"] else None, repeat=r) for r in range(2)],
            round_=round_,
        )
        for variant in plan["variants"]
        for round_ in range(2)
    ]


def save(records: list[Row], folder: Path) -> list[Path]:
    """Write *records* as a run does, and return where each lies."""
    paths = [folder / str(index) / "record.json" for index in range(len(records))]
    for record, path in zip(records, paths, strict=True):
        path.parent.mkdir()
        write({name: value for name, value in record.items() if name != "cycles"}, path)
        write_cycles(record["cycles"], path.with_name("cycles.jsonl.gz"))
    return paths


class TestMeasure:
    """Tests of `measure`."""

    def test_a_row_each(self, records: list[Row], plan: Row) -> None:
        """Two requests in each of two passes in each of two rounds of three launches."""
        tables = measure(records, plan)

        assert {name: table.height for name, table in tables.items()} == {
            "requests": 24,
            "passes": 12,
            "exactness": 3,
            "launches": 6,
        }
        assert dict(tables["passes"].schema) == PASSES | {"host": TEXT}
        assert dict(tables["launches"].schema) == LAUNCHES
        assert dict(tables["requests"].schema).items() >= REQUESTS.items()

    def test_two_protocols_are_not_compared(self, records: list[Row], plan: Row) -> None:
        """Records that were measured in different ways stop the table."""
        records[3]["protocol"] = 2

        with pytest.raises(RecordError, match=r"^records: protocols \[1, 2\], expected one; "):
            measure(records, plan)

    def test_two_kinds_of_hosts_are_not_pooled(self, records: list[Row], plan: Row) -> None:
        """A record of another driver says so, and its tokens are compared with those of its kind alone."""
        records[3]["host"] = records[3]["host"] | {"driver": "580.1", "node": "3535f6"}

        tables = measure(records, plan)

        other = tables["launches"].filter(pl.col("host").str.ends_with("driver 580.1"))
        assert other["node"].to_list() == ["3535f6"]
        assert tables["launches"].height == 6
        assert tables["exactness"].group_by("host").len().sort("len")["len"].to_list() == [1, 3]

    def test_several_variants_in_a_launch(
        self, make_plan: Callable[..., Row], make_pass: Callable[..., Row], make_record: Callable[..., Row]
    ) -> None:
        """A one-load launch is measured by its passes' variants; a baseline's counters are dropped there."""
        plan = make_plan(1)
        plan["launches"] = [
            plan["launches"][0] | {"id": "oneload.default", "variants": ["none.default", "s1.default"]}
        ]
        passes = {"none.default": [make_pass([0])], "s1.default": [make_pass([1])]}

        tables = measure([make_record(plan, "oneload.default", passes)], plan)

        assert tables["passes"].select("launch", "variant", "verify_ct").rows() == [
            ("oneload.default", "none.default", None),
            ("oneload.default", "s1.default", 8),
        ]
        assert tables["exactness"]["status"].to_list() == ["reference", "exact"]

    def test_failed_launches(self, records: list[Row], plan: Row) -> None:
        """A launch that failed keeps its row, with why, and the passes before."""
        failure = {"kind": "start_died", "message": "out of memory", "last_words": []}
        records[4] |= {"status": "failed", "failure": failure, "passes": [], "server": {}}
        records[5] |= {"status": "failed", "failure": failure, "passes": records[5]["passes"][:1]}

        tables = measure(records, plan)

        assert tables["passes"].height == 9
        assert tables["launches"].filter(launch="s2.default").to_dicts() == [
            {
                "launch": "s2.default",
                "round": round_,
                "kind": "dedicated",
                "variants": ["s2.default"],
                "status": "failed",
                "failure": "start_died: out of memory",
                "started_at": "2026-11-29T16:00:00Z",
                "start_s": start_s,
                "host": "a CPU, 2 cores, no GPU, driver None",
                "node": None,
            }
            for round_, start_s in [(0, None), (1, 11.0)]
        ]

    def test_nothing_measured(self, plan: Row) -> None:
        """Without passes the tables are empty, with the same columns."""
        tables = measure([], plan)

        assert {table.height for table in tables.values()} == {0}
        assert tables["requests"].columns[:6] == ["launch", "round", "variant", "load", "repeat", "order"]
        assert "first_divergence" in tables["requests"].columns

    def test_errors_name_record_variant_and_prompt(self, records: list[Row], plan: Row) -> None:
        """One damaged request among all can be found."""
        records[3]["passes"][1]["requests"][0]["meta"]["spec_verify_ct"] = 99

        with pytest.raises(
            MeasureError,
            match=r"^run/s1.default/1/record.json: s1.default at load 1, repeat 1, prompt p0: 4 cycles",
        ):
            measure(records, plan)


class TestMeasureFiles:
    """Tests of `measure_files`."""

    @pytest.mark.parametrize("processes", [1, 2])
    def test_same_tables(self, records: list[Row], plan: Row, tmp_path: Path, processes: int) -> None:
        """However many processes read the records, the tables are those of `measure`."""
        tables = measure_files(save(records, tmp_path), plan, processes)

        for name, table in measure(records, plan).items():
            assert tables[name].equals(table)

    def test_outputs_that_are_returned_once(
        self, plan: Row, make_pass: Callable[..., Row], make_record: Callable[..., Row], tmp_path: Path
    ) -> None:
        """What a process read on one kind of host is known where another kind gave the same wrong tokens."""
        wrong = {"p0": [0, 1, 2, 9, 9, 9, 9, 9, 9], "p1": list(range(100, 109))}
        passes = {
            "none.default": [make_pass(repeat=repeat) for repeat in range(2)],
            "s2.default": [make_pass([2], repeat=repeat, outputs=wrong) for repeat in range(2)],
        }
        hosts = [{"cpu": {"model": name, "usable_cores": 2}, "gpus": [], "driver": None} for name in "ab"]
        records = [
            make_record(plan, launch, passes[launch], round_=round_, host=host)
            for launch in passes
            for round_, host in enumerate(hosts)
        ]

        exactness = measure_files(save(records, tmp_path), plan, processes=2)["exactness"]

        of_s2 = exactness.filter(pl.col("variant") == "s2.default")
        assert of_s2["first_divergence"].to_list() == [3, 3]
        assert of_s2["host"].n_unique() == 2

    def test_errors_come_through(self, plan: Row, tmp_path: Path) -> None:
        """A record that can't be read is named by its path."""
        path = tmp_path / "record.json"
        path.write_text("{")

        with pytest.raises(RecordError, match=f"^{path}: truncated after 1 characters"):
            measure_files([path], plan, processes=1)
