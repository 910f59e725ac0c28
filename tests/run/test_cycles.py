"""Tests of `sweetspot.run.cycles`: from the timer's file to the one beside the record, and back."""

import json
import time
from pathlib import Path

import pytest

from sweetspot.engine.plugin import UNITS
from sweetspot.errors import EngineError, RecordError
from sweetspot.run import cycles as module
from sweetspot.run.cycles import Cells, Cycles, collect, read_cycles, wait_until_written, write_cycles


def cycle(start_us: int) -> Cells:
    """Return a cycle of 9 ms with two steps, of which three tokens came."""
    return [start_us, 9000, 1, 8500, 8400, 1, 2, 3, 0, 2000, 5000, None]


def written(prefix: Path, *lines: object, end: str = "\n") -> None:
    """Write a timer's file."""
    text = "\n".join(json.dumps(line) for line in lines)
    prefix.with_name(f"{prefix.name}.77").write_text(text + end)


HEADER = {"clock": "host", "columns": list(UNITS)}


class TestWait:
    """Tests of `wait_until_written`, with a pass whose last request was sent at 140 us."""

    PASSES = ({"began_us": 100, "requests": [{"sent_us": 40}, {"sent_us": 0}]},)

    @pytest.mark.parametrize(
        ("last", "whole"),
        [
            ([*cycle(140)[:2], 0, *cycle(140)[3:]], True),
            (cycle(140), False),  # another follows
            ([*cycle(139)[:2], 0, *cycle(139)[3:]], False),  # of the request before
        ],
    )
    def test_waits_for_the_last_cycle(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, last: Cells, whole: bool
    ) -> None:
        """A file that rests is whole if it ends with the end of the request that was sent last."""
        monkeypatch.setattr(module, "STEADY_S", 0.05)
        monkeypatch.setattr(module, "SETTLE_S", 0.5)
        written(tmp_path / "c", HEADER, cycle(100), last)
        began = time.monotonic()

        wait_until_written(tmp_path / "c", self.PASSES)

        assert (time.monotonic() - began < module.SETTLE_S) == whole


class TestCollect:
    """Tests of `collect`."""

    def test_keeps_what_starts_in_a_timed_pass(self, tmp_path: Path) -> None:
        """Cycles of the warm-up, of between passes and of the reference are left out."""
        written(tmp_path / "c", HEADER, *map(cycle, (10, 100, 150, 210, 300, 310)))

        found = collect(tmp_path / "c", [(100, 200), (300, 305)])

        assert found == Cycles("host", [cycle(100), cycle(150), cycle(300)])

    def test_a_killed_server_may_cut_the_last_line(self, tmp_path: Path) -> None:
        """Half a line is left out, the whole ones before it are not."""
        written(tmp_path / "c", HEADER, cycle(100), [101], end="")

        assert collect(tmp_path / "c", [(100, 200)]).rows == [cycle(100)]

    @pytest.mark.parametrize("ranks", [0, 2])
    def test_one_rank_writes(self, tmp_path: Path, ranks: int) -> None:
        """No file means that nothing was timed, two that two ranks were."""
        for rank in range(ranks):
            (tmp_path / f"c.{rank}").write_text(json.dumps(HEADER) + "\n")

        with pytest.raises(EngineError, match=f"^the timer: {ranks} files of cycles, expected one") as raised:
            collect(tmp_path / "c", [])

        assert raised.value.kind == "untimed"

    def test_of_another_timer(self, tmp_path: Path) -> None:
        """Other columns are not guessed at."""
        written(tmp_path / "c", HEADER | {"columns": ["start_us"]})

        with pytest.raises(EngineError, match=r"^the timer: columns .*start_us"):
            collect(tmp_path / "c", [])


class TestFile:
    """Tests of `write_cycles` and `read_cycles`."""

    @pytest.mark.parametrize("cycles", [Cycles(None, []), Cycles("host", [cycle(1), cycle(2)])])
    def test_round_trip(self, tmp_path: Path, cycles: Cycles) -> None:
        """What is written comes back, and equal cycles are equal bytes."""
        for name in ("a.gz", "b.gz"):
            write_cycles(cycles, tmp_path / name)

        assert read_cycles(tmp_path / "a.gz") == cycles
        assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()

    @pytest.mark.parametrize("content", [b"", b"no gzip", None])
    def test_damaged(self, tmp_path: Path, content: bytes | None) -> None:
        """A file that is no gzip, empty or missing is named."""
        if content is not None:
            (tmp_path / "c.gz").write_bytes(content)

        with pytest.raises(RecordError, match=r"c.gz: .*, expected the cycles of a launch; measure"):
            read_cycles(tmp_path / "c.gz")

    def test_of_another_format(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """An older or newer file is refused."""
        monkeypatch.setattr("sweetspot.run.cycles.FORMAT", 2)
        write_cycles(Cycles(None, []), tmp_path / "c.gz")
        monkeypatch.undo()

        with pytest.raises(RecordError, match=r"format 2, expected 1; measure this launch again"):
            read_cycles(tmp_path / "c.gz")
