"""Tests of `sweetspot.measure.phases`, and through it of `timed` and `timed_share`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sweetspot.errors import MeasureError
from sweetspot.measure.chunks import Chunks, unpack_chunks
from sweetspot.measure.phases import PHASES, phases
from sweetspot.measure.timed import UNTIMED, Timed
from sweetspot.run.cycles import Cells, Cycles

BEGAN_US = 1_000_000
LAG_US = 700  # from the end of a cycle until its chunk is with the client
OTHER_US = 300


def cycle(start_us: int, **changes: int | None) -> Cells:
    """Return a cycle of 10 ms with two steps, which the next one follows."""
    cells: dict[str, int | None] = {
        "start_us": BEGAN_US + start_us,
        "period_us": 10_000,
        "followed": 1,
        "call_us": 10_000 - OTHER_US,
        "host_us": 4_000,
        "batch_size": 1,
        "num_steps": 2,
        "tokens": 3,
        "plain": 0,
        "draft_us": 2_000,
        "verify_us": 6_000,
        "extend_us": 1_000,
    }
    return list((cells | changes).values())


PLAIN: dict[str, int | None] = {"num_steps": 0, "plain": 1, "draft_us": None, "verify_us": None}


@pytest.fixture
def chunks(make_pass: Callable[..., dict[str, Any]]) -> Chunks:
    """Return one request whose 4 cycles follow a prefill of 50 ms."""
    made = make_pass([2], cycle_us=10_000, outputs={"p0": list(range(13))})
    return unpack_chunks(made["requests"], "here")


def measured(chunks: Chunks, rows: Sequence[Cells], num_steps: int = 2, load: int = 1) -> dict[str, Any]:
    """Return the columns of a pass with these cycles."""
    return phases(Timed.of(Cycles("host", list(rows))), BEGAN_US, chunks, load, num_steps, "here")


def train(lag_us: int = LAG_US, **changes: int | None) -> list[Cells]:
    """Return the four cycles of that request, the last of which nothing follows."""
    starts = [50_000 - lag_us + 10_000 * index for index in range(4)]
    last = cycle(starts[3], followed=0, **{"period_us": 10_000 - OTHER_US, **changes})
    return [*(cycle(start, **changes) for start in starts[:3]), last]


class TestPhases:
    """Tests of `phases`."""

    def test_worked_example(self, chunks: Chunks) -> None:
        """Phases are means over the cycles that another follows."""
        row = measured(chunks, train())

        assert row["cycle_clock"] == "host"
        assert row["timed_cycles"] == 3
        assert row["cycle_s"] == pytest.approx(0.010)
        assert (row["draft_s"], row["verify_s"], row["extend_s"]) == pytest.approx((0.002, 0.006, 0.001))
        assert row["host_s"] == pytest.approx(0.004)
        assert row["decode_s"] is None

    def test_a_baseline_has_its_decode_step(self, chunks: Chunks) -> None:
        """It has no phases; what it has is the worker's call."""
        row = measured(chunks, train(**PLAIN, extend_us=None), num_steps=0)

        assert row["decode_s"] == pytest.approx((10_000 - OTHER_US) / 1e6)
        assert (row["draft_s"], row["verify_s"], row["extend_s"]) == (None, None, None)

    @pytest.mark.parametrize("lag_us", [0, 100, 700, 9_000])
    def test_whatever_the_lag_the_periods_fill_the_clients_time(self, chunks: Chunks, lag_us: int) -> None:
        """The last cycle, which lasts until nothing, and its chunk take no part."""
        row = measured(chunks, train(lag_us))

        assert row["timed_share"] == pytest.approx(1)

    def test_first_chunks_that_come_late_take_no_part(self, chunks: Chunks) -> None:
        """They shorten the client's time and not the cycles'; of a short request they are half."""
        late_us = np.array([5_000, 3_000, 0, 0, 0])

        row = measured(replace(chunks, arrival_us=chunks.arrival_us + late_us), train())

        assert row["timed_share"] == pytest.approx(1)

    def test_a_missing_cycle_shows(self, chunks: Chunks) -> None:
        """Of four cycles, one of the last two was not timed."""
        first, second, _, last = train()

        row = measured(chunks, [first, second, last])

        assert row["timed_share"] == pytest.approx(0.5 - OTHER_US / 20_000)

    def test_time_counted_twice_shows(self, chunks: Chunks) -> None:
        """Periods that are a tenth too long add up to more than there was."""
        row = measured(chunks, train(period_us=11_000))

        assert row["timed_share"] > 1.05

    def test_a_host_that_runs_ahead_is_not_counted_twice(self, chunks: Chunks) -> None:
        """Its calls start before the GPU is free, and the one under way at the end brings no chunk."""
        ahead = [cycle(41_000), *(cycle(42_000 + 10_000 * index) for index in range(3))]

        row = measured(chunks, [*ahead, cycle(72_000, followed=0)])

        assert row["timed_share"] == pytest.approx(1)

    def test_cycles_of_other_passes_and_other_loads_are_left_out(self, chunks: Chunks) -> None:
        """Before the pass, after its last chunk, and with another number of requests."""
        before, after = cycle(-1, period_us=1), cycle(95_000, period_us=1)
        crowded = cycle(20_000, batch_size=2, period_us=1)

        row = measured(chunks, [before, crowded, *train(), after])

        assert row["timed_cycles"] == 3
        assert row["cycle_s"] == pytest.approx(0.010)

    def test_no_cycle_of_the_whole_load(self, chunks: Chunks) -> None:
        """There is a clock and no number."""
        row = measured(chunks, train(batch_size=2))

        assert row["timed_cycles"] == 0
        assert "cycle_s" not in row
        assert row["verify_s"] is None

    def test_no_timer(self, chunks: Chunks) -> None:
        """Everything is null."""
        assert phases(UNTIMED, BEGAN_US, chunks, 1, 2, "here") == dict.fromkeys(PHASES)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"num_steps": 3}, "here: 1 of 4 cycles ran 3 steps, expected 2; measure this launch again"),
            ({"plain": 1}, "here: 1 of 4 cycles ran 2 steps without"),
            ({"draft_us": None}, "here: cycles without a draft or a verify, expected both"),
            ({"verify_us": None}, "here: cycles without a draft or a verify, expected both"),
        ],
    )
    def test_cycles_of_something_else(
        self, chunks: Chunks, changes: dict[str, int | None], message: str
    ) -> None:
        """A cycle that did not do what its variant is named for is no number of that variant."""
        rows = train()
        rows[1] = cycle(60_000, **changes)

        with pytest.raises(MeasureError, match=f"^{message}"):
            measured(chunks, rows)


def request(begins_us: int, tokens: Sequence[int]) -> Chunks:
    """Return one request with a chunk every 10 ms that brings *tokens*."""
    arrival_us = np.array([begins_us + 10_000 * index for index in range(len(tokens))])
    return Chunks(np.array([begins_us - 5_000]), np.array([0]), arrival_us, np.array(tokens))


def together(*requests: Chunks) -> Chunks:
    """Return *requests* as those of one pass."""
    sizes = [one.arrival_us.size for one in requests]
    return Chunks(
        np.concatenate([one.sent_us for one in requests]),
        np.append(0, np.cumsum(sizes)[:-1]),
        np.concatenate([one.arrival_us for one in requests]),
        np.concatenate([one.tokens for one in requests]),
    )


def row_of_cycles(begins_us: int, cycles: int) -> list[Cells]:
    """Return cycles without a pause, of which the first starts as a request's first chunk is sent."""
    starts = [begins_us - LAG_US + 10_000 * index for index in range(cycles)]
    return [
        *(cycle(start) for start in starts[:-1]),
        cycle(starts[-1], followed=0, period_us=10_000 - OTHER_US),
    ]


class TestTimedShareOfRequestsThatFollowEachOther:
    """Tests of `timed_share` at load 1."""

    def test_requests_of_different_length(self) -> None:
        """Each has its row of cycles, whatever its length."""
        chunks = together(request(50_000, [1, *[3] * 30]), request(400_000, [1, 3, 3]))

        row = measured(chunks, [*row_of_cycles(50_000, 30), *row_of_cycles(400_000, 2)])

        assert row["timed_share"] == pytest.approx(1)

    def test_chunks_that_merged_hide_no_time(self) -> None:
        """Ten of thirty chunks brought what two cycles made: which cycle brought which is not known."""
        arrival_us = np.array([50_000 + 10_000 * index for index in (0, *range(2, 21, 2), *range(21, 31))])
        tokens = np.array([1, *[6] * 10, *[3] * 10])
        chunks = Chunks(np.array([45_000]), np.array([0]), arrival_us, tokens)

        row = measured(chunks, row_of_cycles(50_000, 30))

        assert row["timed_share"] == pytest.approx(1, abs=0.005)

    @pytest.mark.parametrize("of_one_chunk", [0, 1, 2])
    def test_a_request_of_one_chunk_has_no_cycles(self, of_one_chunk: int) -> None:
        """Its pause is no time of the others', wherever it stands."""
        requests = [request(begins_us, [1, *[3] * 20]) for begins_us in (50_000, 400_000)]
        cycles = [*row_of_cycles(50_000, 20), *row_of_cycles(400_000, 20)]
        requests.insert(of_one_chunk, request((20_000, 300_000, 700_000)[of_one_chunk], [1]))

        row = measured(together(*requests), cycles)

        assert row["timed_share"] == pytest.approx(1, abs=0.005)

    def test_requests_of_one_chunk_alone(self) -> None:
        """Nothing decodes, so there is no share, and nothing is divided by its time."""
        chunks = together(request(50_000, [1]), request(100_000, [1]))

        row = measured(chunks, [cycle(60_000), cycle(70_000, followed=0)])

        assert row["timed_share"] is None

    def test_a_pass_that_was_interrupted(self) -> None:
        """A row that stops and goes on is two: the time in between was spent and not timed."""
        chunks = request(50_000, [1, *[3] * 30])
        cycles = row_of_cycles(50_000, 30)
        cycles[14] = cycle(50_000 - LAG_US + 140_000, followed=0, period_us=4_000)

        row = measured(chunks, cycles)

        assert row["timed_share"] == pytest.approx(1 - 0.6 / 22, abs=0.003)
