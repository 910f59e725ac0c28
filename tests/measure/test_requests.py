from collections.abc import Callable
from typing import Any

import pytest

from sweetspot.errors import MeasureError
from sweetspot.measure.chunks import unpack_chunks
from sweetspot.measure.requests import REQUESTS, request_columns, request_counts

Row = dict[str, Any]


class TestRequestCounts:
    """Tests of `request_counts`."""

    def test_each_request(self, make_pass: Callable[..., Row]) -> None:
        """9 tokens at 1 + 2 a cycle are 3 cycles a request, the first token being prefill's."""
        counts = request_counts(make_pass([2])["requests"], "here")

        assert counts is not None
        assert [c.verify_ct for c in counts] == [3, 3]

    def test_none_at_all(self, make_pass: Callable[..., Row]) -> None:
        """A server that counts nothing is a result, for the verdict to judge."""
        assert request_counts(make_pass(None)["requests"], "here") is None

    def test_an_answer_of_one_token(self, make_pass: Callable[..., Row]) -> None:
        """SGLang counts nothing for a request that prefill finished; it took no cycle."""
        requests = make_pass([1], outputs={"p0": [1, 2, 3], "p1": [4]})["requests"]
        requests[1]["meta"] = {}

        counts = request_counts(requests, "here")

        assert counts is not None
        assert [c.verify_ct for c in counts] == [1, 0]

    def test_some_missing(self, make_pass: Callable[..., Row]) -> None:
        """Sums over a part of the requests would be wrong."""
        requests = make_pass([1])["requests"]
        requests[1]["meta"] = {}

        with pytest.raises(
            MeasureError, match=r"^here, prompt p1: no spec_verify_ct, expected one as elsewhere"
        ):
            request_counts(requests, "here")


class TestRequestColumns:
    """Tests of `request_columns`."""

    def test_by_hand(self, make_pass: Callable[..., Row]) -> None:
        """Sent when the one before was done; 50 ms to the first token, then 3 cycles of 10 ms."""
        requests = make_pass([2], cached_tokens=16)["requests"]
        requests[0]["meta"]["decode_throughput"] = 400.0

        columns = request_columns(requests, unpack_chunks(requests, "here"), request_counts(requests, "here"))

        assert columns["sent_s"].tolist() == [0, 0.081]
        assert columns["ttft_s"].tolist() == [0.05, 0.05]
        assert columns["decode_s"].tolist() == [0.03, 0.03]
        assert columns["decode_tokens"].tolist() == [8, 8]
        assert columns["decode_chunks"].tolist() == [3, 3]
        assert columns["cached_tokens"] == [16, 16]
        assert columns["correct_drafts"] == [6, 6]
        assert columns["server_decode_s"] == [8 / 400, None]

    def test_every_column(self, make_pass: Callable[..., Row]) -> None:
        """The columns are those of the table, less the key of the pass."""
        requests = make_pass([2])["requests"]

        columns = request_columns(requests, unpack_chunks(requests, "here"), None)

        assert list(columns) == list(REQUESTS)[6:]
