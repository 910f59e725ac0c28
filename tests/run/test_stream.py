import json
from typing import Any

import pytest

from sweetspot.errors import EngineError
from sweetspot.run.record import unpack
from sweetspot.run.stream import Stream, observed


def event(ids: list[int], done: int, **meta: Any) -> bytes:  # noqa: ANN401
    """Return an event of SGLang's stream, after which *done* tokens are out."""
    known = {"prompt_tokens": 3, "completion_tokens": done, "finish_reason": None}
    return b"data: " + json.dumps({"output_ids": ids, "meta_info": known | meta}).encode() + b"\n\n"


END = {"finish_reason": {"type": "length", "length": 3}, "spec_verify_ct": 2, "id": "x"}


class TestObserved:
    """Tests of `observed`."""

    def test_a_chunk_arrives_with_the_read_that_completes_it(self) -> None:
        """Events don't end where reads do: one is cut in two here, and two come at once."""
        first, second, last = event([7], 1), event([7, 8], 2), event([7, 8, 9], 3, **END)
        reads = [(10, first[:20]), (20, first[20:]), (30, second + last + b"data: [DONE]\n\n")]

        request = observed(Stream("p", 5, reads), {})

        assert list(unpack(request["chunk_us"])) == [20, 30, 30]
        assert list(unpack(request["chunk_tokens"])) == [1, 2, 3]

    @pytest.mark.parametrize("chunks", [[[7], [7, 8], [7, 8, 9]], [[7], [8], [9]]])
    def test_tokens_of_either_kind_of_stream(self, chunks: list[list[int]]) -> None:
        """A chunk may repeat all tokens so far or bring the new ones alone."""
        ends: list[dict[str, Any]] = [{}, {}, END]
        reads = [
            (done, event(ids, done, **end))
            for done, (ids, end) in enumerate(zip(chunks, ends, strict=True), start=1)
        ]
        outputs: dict[str, str] = {}

        request = observed(Stream("p", 0, reads), outputs)

        assert list(unpack(outputs[request["output"]])) == [7, 8, 9]
        assert (request["finish"], request["meta"]) == ("length", {"spec_verify_ct": 2})

    @pytest.mark.parametrize(
        ("answer", "found"),
        [
            (b"", "a stream without a finish reason"),
            (event([7], 1), "a stream without a finish reason"),
            (event([7], 3, **END), "other numbers of token ids in its chunks"),
            (b'data: {"error": "full"}\n', "{'error': 'full'}, expected meta_info"),
        ],
    )
    def test_what_is_no_whole_stream(self, answer: bytes, found: str) -> None:
        """The prompt is named, and what was wrong with its answer."""
        with pytest.raises(EngineError, match=f"^prompt p: {found}") as raised:
            observed(Stream("p", 0, [(1, answer)]), {})

        assert raised.value.kind == "bad_answer"
