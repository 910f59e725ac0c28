from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweetspot.measure.server_log import (
    OF_ALL,
    OF_DRAFTED,
    OF_DRAFTS,
    UNKNOWN,
    read_server_log,
)

NEW = (
    "[2026-01-01 00:00:00 DP1 TP0 EP2] Decode batch [1234], #running-req: 2, "
    "#full token: 713, full token usage: 0.01, swa token usage: 0.00, accept len: 1.87, "
    "accept rate: 0.43, cap len: 2.00, block accept len: 1.80, "
    "npu graph: False, gen throughput (token/s): 94.02, #queue-req: 0, est. decode TFLOPS/s (per GPU): 12.5"
)
OLD = (
    "[2025-01-01 00:00:00 TP0] Decode batch. #running-req: 1, #token: 9, token usage: 0.71, "
    "gen throughput (token/s): 2.5, #queue-req: 3"
)
VLLM = (
    "(APIServer pid=1) INFO 09-09 11:51:35 [metrics.py:96] SpecDecoding metrics: Draft acceptance "
    "rate: 88.8%, Mean acceptance length: 5.44, Accepted throughput: 4.37 tokens/s, Drafted "
    "throughput: 4.92 tokens/s, "
    "Accepted: 262 tokens, Drafted: 295 tokens, Per-position acceptance rate: 0.983, 0.949, 0.915, 0.881, "
    "0.712"
)
KNOWN = {
    "#running-req": st.integers(0, 999).map(str),
    "accept len": st.floats(1, 20).map("{:.2f}".format),
    "accept rate": st.floats(0, 1).map("{:.2f}".format),
    "gen throughput (token/s)": st.floats(0, 1e5).map("{:.2f}".format),
    "cuda graph": st.sampled_from(["True", "False"]),
}
UNKNOWN_KEYS = st.sampled_from(
    [
        "#queue-req",
        "token usage",
        "mamba usage",
        "cap len",
        "#retracted-req",
        "est. read bandwidth (GB/s per GPU)",
    ]
)
pairs = st.fixed_dictionaries({}, optional=KNOWN).flatmap(
    lambda known: st.dictionaries(UNKNOWN_KEYS, st.floats(0, 9).map("{:.2f}".format)).map(
        lambda more: known | more
    )
)


class TestReadServerLog:
    """Tests of `read_server_log`."""

    def test_a_new_line(self) -> None:
        """Ranks, iteration, graph of any device, and keys that nothing knows are all kept."""
        (row,) = read_server_log(f"noise\n{NEW}\n", version="0.5.23")

        assert (row.line, row.ranks, row.iteration) == (2, {"DP": 1, "TP": 0, "EP": 2}, 1234)
        assert (row.running_requests, row.tokens_per_s, row.graph) == (2, 94.02, False)
        assert (row.accept_length, row.accept_rate, row.accept_rate_of) == (1.87, 0.43, OF_DRAFTS)
        assert row.fields["block accept len"] == "1.80"
        assert row.fields["est. decode TFLOPS/s (per GPU)"] == "12.5"

    def test_an_old_line_without_speculation(self) -> None:
        """About 0.4 a full stop follows; what is not told is None."""
        (row,) = read_server_log(OLD)

        assert (row.tokens_per_s, row.fields["#queue-req"]) == (2.5, "3")
        assert (row.accept_length, row.accept_rate, row.accept_rate_of, row.graph) == (None, None, None, None)

    @pytest.mark.parametrize(
        ("version", "denominator"),
        [
            ("0.4.6", OF_ALL),
            ("0.5.10", OF_ALL),
            ("0.5.11", OF_DRAFTS),
            ("0.5.23", OF_DRAFTS),
            (None, UNKNOWN),
        ],
    )
    def test_the_rate_names_its_denominator(self, version: str | None, denominator: str) -> None:
        """It changed with 0.5.11; without a version it is not known."""
        (row,) = read_server_log(NEW, version)

        assert row.accept_rate_of == denominator

    def test_the_log_may_name_its_version(self) -> None:
        """The version is taken from the log where it stands there."""
        text = f"sglang version: 0.5.9\n{NEW}"

        assert read_server_log(text)[0].accept_rate_of == OF_ALL

    def test_vllm(self) -> None:
        """The mean length includes the bonus token, the list of shares is one value."""
        (row,) = read_server_log(VLLM)

        assert (row.engine, row.accept_length, row.accept_rate, row.accept_rate_of) == (
            "vllm",
            5.44,
            0.888,
            OF_DRAFTED,
        )
        assert row.by_position == (0.983, 0.949, 0.915, 0.881, 0.712)
        assert row.fields["Drafted"] == "295 tokens"

    def test_vllm_without_a_mean(self) -> None:
        """It is one bonus token and the shares by position."""
        (row,) = read_server_log(VLLM.replace("Mean acceptance length: 5.44, ", ""))

        assert row.accept_length == pytest.approx(5.44)

    @given(
        pairs,
        st.randoms(use_true_random=False),
        st.sampled_from([", ", ". ", " [7], "]),
        st.sampled_from(["", ", "]),
    )
    def test_any_order_of_any_pairs(self, written: dict[str, str], random: Any, mark: str, tail: str) -> None:  # noqa: ANN401
        """Whatever stands in a line, in whatever order, is read back."""
        items = list(written.items())
        random.shuffle(items)
        line = (
            f"[2026-01-01 00:00:00 TP0] Decode batch{mark}" + ", ".join(f"{k}: {v}" for k, v in items) + tail
        )

        (row,) = read_server_log(line, "0.5.12")

        assert row.fields == written
        assert row.accept_length == (float(written["accept len"]) if "accept len" in written else None)
        assert row.accept_rate == (float(written["accept rate"]) if "accept rate" in written else None)
        assert (row.accept_rate_of is None) == ("accept rate" not in written)
        assert row.graph == (
            {"True": True, "False": False}[written["cuda graph"]] if "cuda graph" in written else None
        )

    @given(st.text(max_size=200))
    def test_any_text(self, text: str) -> None:
        """What is no line of these is passed over."""
        assert all(row.engine in {"sglang", "vllm"} for row in read_server_log(text))
