from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sweetspot.analyse.verdict import MOST_CYCLES
from sweetspot.errors import MeasureError
from sweetspot.measure.chunks import Chunks, Ints, unpack_chunks
from sweetspot.measure.throughput import full_load_windows, identity_residual, throughput
from sweetspot.run.record import pack


def chunks_of(*requests: list[tuple[int, int]]) -> Chunks:
    """Return the chunks of requests that are lists of (time in us, tokens so far), each sent at -1."""
    rows = [
        {
            "prompt": f"p{index}",
            "sent_us": -1,
            "chunk_us": pack([time for time, _ in request]),
            "chunk_tokens": pack([tokens for _, tokens in request]),
            "completion_tokens": request[-1][1],
        }
        for index, request in enumerate(requests)
    ]
    return unpack_chunks(rows, "here")


class TestFullLoadWindows:
    """Tests of `full_load_windows`."""

    def test_two_lanes(self) -> None:
        """Requests decode 0-50 and 60-90 in one lane, 20-70 in the other: both lanes in 20-50 and 60-70."""
        windows = full_load_windows(np.array([0, 60, 20]), np.array([50, 90, 70]), load=2)

        assert windows.tolist() == [[20, 50], [60, 70]]

    def test_a_change_of_hands_does_not_close(self) -> None:
        """A request that begins in the instant in which another ends keeps the load whole."""
        windows = full_load_windows(np.array([0, 50, 20]), np.array([50, 90, 70]), load=2)

        assert windows.tolist() == [[20, 70]]

    def test_never_whole(self) -> None:
        """Requests that never meet leave no window."""
        assert full_load_windows(np.array([0, 60]), np.array([50, 90]), load=2).shape == (0, 2)

    def test_too_many(self) -> None:
        """A client that kept more in flight than it was told did not measure that load."""
        with pytest.raises(MeasureError, match="2 requests decoded at once, expected at most 1"):
            full_load_windows(np.array([0, 20]), np.array([50, 90]), load=1)

    @given(
        st.lists(st.tuples(st.integers(0, 200), st.integers(0, 60)), min_size=1, max_size=12),
        st.integers(1, 4),
    )
    def test_every_instant(self, spans: list[tuple[int, int]], load: int) -> None:
        """Halfway between any two microseconds, the load is whole just where a window says so."""
        first_us = np.array([begin for begin, _ in spans])
        last_us = np.array([begin + length for begin, length in spans])
        instants = np.arange(0, 261) + 0.5
        decoding = ((first_us <= instants[:, None]) & (instants[:, None] <= last_us)).sum(axis=1)
        assume(decoding.max() <= load)

        windows = full_load_windows(first_us, last_us, load)

        inside = ((windows[:, 0] <= instants[:, None]) & (instants[:, None] <= windows[:, 1])).any(axis=1)
        assert (inside == (decoding == load)).all()
        assert (windows[1:, 0] > windows[:-1, 1]).all()


class TestThroughput:
    """Tests of `throughput`."""

    def test_load_1(self) -> None:
        """Two requests: 5 tokens in 30 us and 2 in 20. Prefill, its token and the time between stay out."""
        chunks = chunks_of([(10, 1), (20, 3), (40, 6)], [(100, 1), (120, 3)])

        found = throughput(chunks, load=1)

        assert found.decode_tokens_per_s == pytest.approx(7 / 50e-6)
        assert found.cycle_s == pytest.approx(50e-6 / 3)
        assert found.full_load_s == pytest.approx(50e-6)
        assert found.full_load_cycles == 3

    def test_load_2(self) -> None:
        """Both decode from 20 to 40. The cycle that ends at 25 began before, the one that ends at 41 later.

        What is left: 2 tokens in 10 us of the first request, and 1 in 15 us of the second.
        """
        chunks = chunks_of([(20, 1), (30, 3), (41, 4)], [(0, 1), (10, 2), (25, 5), (40, 6)])

        found = throughput(chunks, load=2)

        assert found.full_load_s == pytest.approx(20e-6)
        assert found.full_load_cycles == 2
        assert found.decode_tokens_per_s == pytest.approx(2 * 3 / 25e-6)
        assert found.cycle_s == pytest.approx(25e-6 / 2)

    def test_load_never_reached(self) -> None:
        """A pass with too few requests has no speed at that load, rather than a wrong one."""
        found = throughput(chunks_of([(10, 1), (20, 3)]), load=4)

        assert (found.decode_tokens_per_s, found.cycle_s) == (None, None)
        assert found.full_load_cycles == 0

    def test_only_prefill(self) -> None:
        """Requests of one token decode nothing."""
        assert throughput(chunks_of([(10, 1)], [(20, 1)]), load=1).decode_tokens_per_s is None

    @given(
        st.lists(
            st.lists(st.tuples(st.integers(1, 50), st.integers(1, 5)), min_size=1, max_size=9),
            min_size=1,
            max_size=6,
        )
    )
    def test_all_decode_tokens_over_all_decode_seconds(self, steps: list[list[tuple[int, int]]]) -> None:
        """At load 1 that is the speed, whatever the requests; and tokens/s x cycle time = tokens a chunk."""
        requests, now = [], 0
        for request in steps:
            rows = [(now := now + 10, 1)]
            for wait_us, tokens in request:
                rows.append((now := now + wait_us, rows[-1][1] + tokens))
            requests.append(rows)
        tokens = sum(tokens for request in steps for _, tokens in request)
        seconds = sum(wait_us for request in steps for wait_us, _ in request) / 1e6
        cycles = sum(map(len, steps))

        found = throughput(chunks_of(*requests), load=1)

        assert found.decode_tokens_per_s == pytest.approx(tokens / seconds)
        assert found.cycle_s == pytest.approx(seconds / cycles)

    def test_jitter_within_a_cycle_has_no_bias(self) -> None:
        """Eight requests share cycles of 7 ms, whose chunks leave 60 us apart in changing order.

        Requests end at different times and others take their places after a prefill of 20 ms. The speed is
        that of eight requests with 2 tokens a cycle; counting arrivals in the windows gives 7.9 % less.
        """
        chunks = served(requests=40, load=8, seed=0)

        found = throughput(chunks, load=8)

        assert found.cycle_s == pytest.approx(7e-3, rel=1e-3)
        assert found.decode_tokens_per_s == pytest.approx(8 * 2 / 7e-3, rel=1e-3)
        assert arrivals_in_windows(chunks, 8) < 0.93 * 8 * 2 / 7e-3


def served(requests: int, load: int, seed: int) -> Chunks:
    """Return the chunks of a server that batches: one chunk of 2 tokens a cycle for each running request."""
    rng = np.random.default_rng(seed)
    waiting = [[1 + 2 * int(cycles)] for cycles in rng.integers(20, 60, requests)]
    running: list[list[Any]] = []
    done: list[list[tuple[int, int]]] = []
    now = 0
    while waiting or running:
        while waiting and len(running) < load:
            now += 20_000
            running.append([waiting.pop()[0], [(now, 1)]])
        now += 7_000
        for place, index in enumerate(rng.permutation(len(running))):
            chunks = running[index][1]
            chunks.append((now + 60 * place, chunks[-1][1] + 2))
        done += [chunks for tokens, chunks in running if chunks[-1][1] == tokens]
        running = [[tokens, chunks] for tokens, chunks in running if chunks[-1][1] < tokens]
    return chunks_of(*done)


def arrivals_in_windows(chunks: Chunks, load: int) -> float:
    """Return the tokens that arrive in full-load windows over their length: the method not taken."""
    windows: Ints = full_load_windows(chunks.first_us, chunks.last_us, load)
    intervals = chunks.intervals
    tokens = sum(
        int(intervals.tokens[(intervals.end_us > opens) & (intervals.end_us <= closes)].sum())
        for opens, closes in windows
    )
    return tokens / float((windows[:, 1] - windows[:, 0]).sum()) * 1e6


class TestIdentityResidual:
    """Tests of `identity_residual`."""

    def test_by_hand(self) -> None:
        """Four requests at 800 tokens/s together and 10 ms a cycle get 2 tokens a cycle each."""
        assert identity_residual(800, 4, 0.010, 2.0) == pytest.approx(0)
        assert identity_residual(800, 4, 0.010, 1.6) == pytest.approx(0.25)


class TestFewPrompts:
    """Prompts that accept differently, and few of them for the load."""

    LOAD, TOKENS, CYCLE_US = 8, 256, 10_000
    YIELDS = np.linspace(1.5, 3.5, LOAD)  # tokens a cycle, of each kind of prompt

    def speed(self, each: int, seed: int) -> tuple[float, float]:
        """Return how far off the speed of *each* prompt of a kind is in a shuffled pass, and its share."""
        free_us = [0] * self.LOAD
        arrivals: list[Ints] = []
        tokens: list[Ints] = []
        for a_cycle in np.random.default_rng(seed).permutation(np.tile(self.YIELDS, each)):
            lane = free_us.index(min(free_us))
            cycles = np.arange(int(np.ceil((self.TOKENS - 1) / a_cycle)) + 1)
            arrivals.append(free_us[lane] + 1 + self.CYCLE_US * cycles)
            so_far = np.minimum(1 + np.floor(a_cycle * cycles), self.TOKENS).astype(int)
            tokens.append(np.diff(so_far, prepend=0))
            free_us[lane] = int(arrivals[-1][-1])
        sizes = np.array([times.size for times in arrivals])
        sent_us = np.array([times[0] - 1 for times in arrivals])
        first = np.append(0, sizes.cumsum()[:-1])
        chunks = Chunks(sent_us, first, np.concatenate(arrivals), np.concatenate(tokens))
        found = throughput(chunks, self.LOAD)
        assert found.decode_tokens_per_s is not None
        steady = 1e6 * self.LOAD / self.CYCLE_US / np.mean(1 / self.YIELDS)  # of prompts without an end
        return found.decode_tokens_per_s / steady - 1, found.full_load_cycles / len(chunks.intervals.tokens)

    @pytest.mark.parametrize(
        ("each", "bias", "scatter"), [(1, 0.075, 0), (4, 0.007, 0.017), (8, 0.001, 0.008)]
    )
    def test_the_speed_is_too_high(self, each: int, bias: float, scatter: float) -> None:
        """Until the first is done all take part alike, though the slow ones take part for longer."""
        errors = [self.speed(each, seed)[0] for seed in range(40)]

        assert np.mean(errors) == pytest.approx(bias, abs=0.004)
        assert np.std(errors) == pytest.approx(scatter, abs=0.004)

    @pytest.mark.parametrize(("each", "told"), [(1, True), (4, False), (8, False)])
    def test_the_share_tells(self, each: int, told: bool) -> None:
        """With four prompts for each request in flight, over 75 % of the cycles are under the whole load."""
        shares = [self.speed(each, seed)[1] for seed in range(40)]

        assert all((share < MOST_CYCLES) is told for share in shares)
