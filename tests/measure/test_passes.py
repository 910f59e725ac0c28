from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sweetspot.errors import MeasureError
from sweetspot.measure.passes import PASSES, add_histograms, measure_pass

Row = dict[str, Any]
MakePass = Callable[..., Row]


class TestMeasurePass:
    """Tests of `measure_pass`."""

    def test_by_hand(self, make_pass: MakePass) -> None:
        """Two requests with 8 tokens after the first, in cycles of 10 ms that yield 3, 3 and 2 of them."""
        row, columns = measure_pass(make_pass([2]), 2, "here")

        assert row["decode_tokens_per_s"] == pytest.approx(16 / 0.060)
        assert row["cycle_s"] == pytest.approx(0.010)
        assert row["accept_length"] == pytest.approx(16 / 6)
        assert row["identity_residual"] == pytest.approx(0)
        assert row["accept_length_from_histogram"] == 3  # the last cycle gave a token more than was asked for
        assert row["accept_lengths_agree"]
        assert row["accept_histogram"] == [0, 0, 6]
        assert (row["verify_ct"], row["correct_drafts"], row["server_proposed_drafts"]) == (6, 12, 12)
        assert (row["requests"], row["completion_tokens"], row["prefill_tokens"]) == (2, 18, 128)
        assert row["prefill_s"] == row["ttft_p50_s"] == pytest.approx(0.050)
        assert row["itl_chunk_p95_s"] == pytest.approx(0.010)
        assert row["itl_token_p50_s"] == pytest.approx(0.010 / 3)
        assert row["itl_token_p99_s"] == pytest.approx(0.010 / 2)
        assert (sum(row["itl_chunk_counts"]), sum(row["itl_token_counts"])) == (6, 16)
        assert columns["prompt"] == ["p0", "p1"]

    def test_every_column(self, make_pass: MakePass) -> None:
        """A row has the columns of the table, less its key."""
        row, _ = measure_pass(make_pass([2]), 2, "here")

        assert set(row) == set(list(PASSES)[6:])

    def test_baseline(self, make_pass: MakePass) -> None:
        """Without speculation a cycle is a token by definition, whatever a switching server counts."""
        row, columns = measure_pass(make_pass([0]), 0, "here")

        assert row["accept_length"] == 1
        assert row["identity_residual"] == pytest.approx(0)
        assert row["verify_ct"] is row["accept_histogram"] is row["accept_lengths_agree"] is None
        assert columns["verify_ct"] == [None, None]

    @pytest.mark.parametrize("load", [1, 2])
    @pytest.mark.parametrize(("served", "counted"), [([3, 0, 1], [1, 0]), ([1], [2]), ([0, 1], [3, 1, 0])])
    def test_counters_of_another_step_count(
        self, make_pass: MakePass, load: int, served: list[int], counted: list[int]
    ) -> None:
        """A row whose counters come from another server fails the identity, at every load."""
        outputs = {f"p{index}": list(range(200)) for index in range(2)}
        row = make_pass(served, outputs=outputs, load=load)
        elsewhere = make_pass(counted, outputs=outputs, load=load)
        right, _ = measure_pass(row, max(served), "here")

        for request, other in zip(row["requests"], elsewhere["requests"], strict=True):
            request["meta"] = other["meta"]
        wrong, _ = measure_pass(row, max(counted), "here")

        assert abs(right["identity_residual"]) < 0.01
        assert abs(wrong["identity_residual"]) > 0.10

    def test_merged_chunks(self, make_pass: MakePass) -> None:
        """If two cycles reach the client as one chunk, the cycle seems twice as long: the identity tells."""
        merged = make_pass([1], cycle_us=20_000)
        served = make_pass([0], cycle_us=10_000)
        for request, other in zip(merged["requests"], served["requests"], strict=True):
            request["meta"] = other["meta"]

        found, _ = measure_pass(merged, 1, "here")

        assert found["identity_residual"] == pytest.approx(1.0)

    def test_counts_that_no_cut_explains(self, make_pass: MakePass) -> None:
        """A histogram with more tokens than the answer and its cut can hold is a column, not an error."""
        row = make_pass([1], outputs={"p0": list(range(9))})
        row["requests"][0]["meta"] = {"spec_verify_ct": 4, "spec_correct_drafts_histogram": [0, 0, 0, 4]}

        found, _ = measure_pass(row, 3, "here")

        assert found["accept_length"] == 2
        assert found["accept_length_from_histogram"] == 4
        assert found["accept_lengths_agree"] is False

    def test_server_clock(self, make_pass: MakePass) -> None:
        """The server took 50 ms for what the client saw in 60: the client sees a fifth less."""
        row = make_pass([2])
        for request in row["requests"]:
            request["meta"]["decode_throughput"] = 8 / 0.025

        found, _ = measure_pass(row, 2, "here")

        assert found["server_tokens_per_s"] == pytest.approx(320)
        assert found["client_cost"] == pytest.approx(0.2)

    def test_load_never_reached(self, make_pass: MakePass) -> None:
        """Two prompts can't make a load of 4: no speed, no residual, but the rest."""
        found, _ = measure_pass(make_pass([2], load=4), 2, "here")

        assert found["decode_tokens_per_s"] is found["cycle_s"] is found["identity_residual"] is None
        assert found["accept_length"] == pytest.approx(16 / 6)

    def test_too_many_in_flight(self, make_pass: MakePass) -> None:
        """A pass with more requests at once than its load is refused, with its place."""
        row = make_pass([2], load=2) | {"load": 1}

        with pytest.raises(
            MeasureError, match=r"^here: 2 requests decoded at once, expected at most 1; measure"
        ):
            measure_pass(row, 2, "here")


def test_add_histograms() -> None:
    """Servers leave out the drafts that no cycle accepted, so lengths differ."""
    total = add_histograms([np.array([1, 2]), [3], [0, 0, 5]])

    assert total.tolist() == [4, 2, 5]
