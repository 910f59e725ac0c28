from collections.abc import Callable, Sequence
from typing import Any

import pytest

from sweetspot.errors import MeasureError, RecordError
from sweetspot.measure.chunks import unpack_chunks, unpack_numbers
from sweetspot.run.record import pack


def request(prompt: str, sent_us: int, times_us: Sequence[int], counts: Sequence[int]) -> dict[str, Any]:
    """Return what `unpack_chunks` reads of a request."""
    return {
        "prompt": prompt,
        "sent_us": sent_us,
        "chunk_us": pack(times_us),
        "chunk_tokens": pack(counts),
        "completion_tokens": counts[-1] if counts else 0,
    }


class TestUnpackChunks:
    """Tests of `unpack_chunks`."""

    def test_two_requests(self) -> None:
        """Times and tokens stand in a row; intervals are those within a request."""
        requests = [request("p0", 10, [50, 60, 75], [1, 3, 4]), request("p1", 80, [100, 130], [1, 5])]

        chunks = unpack_chunks(requests, "here")

        assert chunks.arrival_us.tolist() == [50, 60, 75, 100, 130]
        assert chunks.tokens.tolist() == [1, 2, 1, 1, 4]
        assert chunks.first_us.tolist() == [50, 100]
        assert chunks.last_us.tolist() == [75, 130]
        assert chunks.decode_chunks.tolist() == [2, 1]
        assert chunks.decode_tokens.tolist() == [3, 4]
        intervals = chunks.intervals
        assert intervals.begin_us.tolist() == [50, 60, 100]
        assert intervals.length_us.tolist() == [10, 15, 30]
        assert intervals.tokens.tolist() == [2, 1, 4]

    def test_a_chunk_without_tokens_is_no_cycle(self) -> None:
        """Servers may send an empty chunk before the first token, or with the reason why it finished."""
        requests = [request("p0", 10, [20, 50, 60, 61], [0, 1, 3, 3]), request("p1", 0, [5, 9], [1, 2])]

        chunks = unpack_chunks(requests, "here")

        assert chunks.arrival_us.tolist() == [50, 60, 5, 9]
        assert chunks.tokens.tolist() == [1, 2, 1, 1]
        assert chunks.first_us.tolist() == [50, 5]

    def test_two_chunks_in_one_read(self) -> None:
        """Chunks may arrive in the same microsecond."""
        chunks = unpack_chunks([request("p0", 0, [10, 20, 20], [1, 2, 3])], "here")

        assert chunks.intervals.length_us.tolist() == [10, 0]

    @pytest.mark.parametrize(
        ("times_us", "counts", "changes", "message"),
        [
            ([20, 30], [1], {}, "a time and a count for each chunk"),
            ([], [], {}, "and a chunk at least"),
            ([20, 30], [1, 2], {"completion_tokens": 3}, "completion_tokens in its last chunk"),
            ([20, 30, 40], [1, 3, 2], {}, "token counts that rise from above 0"),
            ([20], [0], {}, "token counts that rise from above 0"),
            ([20, 30, 29], [1, 2, 3], {}, "chunks in the order of their times"),
            ([20, 30], [1, 2], {"sent_us": 20}, "its first chunk after it was sent"),
        ],
    )
    def test_contradictions(
        self, times_us: list[int], counts: list[int], changes: dict[str, Any], message: str
    ) -> None:
        """Each contradiction names the request that has it, among others that have none."""
        fine = request("p0", 0, [20, 30], [1, 2])
        requests = [fine, request("p1", 5, times_us, counts) | changes, fine]

        with pytest.raises(
            MeasureError, match=f"^here, prompt p1: expected .*{message}.*measure this launch again$"
        ):
            unpack_chunks(requests, "here")

    def test_damaged(self) -> None:
        """A list that can't be unpacked says in which record."""
        damaged = request("p0", 0, [20, 30], [1, 2]) | {"chunk_us": "?"}

        with pytest.raises(RecordError, match=r"^here: '\?'"):
            unpack_chunks([damaged], "here")


def test_unpack_numbers() -> None:
    """Any packed list comes back, falling numbers too."""
    assert unpack_numbers(pack([7, 3, 151_000]), "here").tolist() == [7, 3, 151_000]


def test_builder_is_read_as_it_was_made(make_pass: Callable[..., dict[str, Any]]) -> None:
    """The made-up server of other tests: a token, then 1 + 2 tokens a cycle until 9, at 10 ms a cycle."""
    chunks = unpack_chunks(make_pass([2])["requests"], "here")

    assert chunks.tokens.tolist() == [1, 3, 3, 2] * 2
    assert chunks.intervals.length_us.tolist() == [10_000] * 6
