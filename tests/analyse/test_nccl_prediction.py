"""Tests of `sweetspot.analyse.nccl_prediction`: bare all-reduces times their number, against the verify."""

from typing import Any

import pytest

from sweetspot.analyse.nccl_prediction import bare, predict, times
from tests.analyse.nccl_made_up import BASELINE, VERIFY, lines, probed, timed


def row(variant: str, **changes: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the summary of a variant at load 1, in one round: a verify of three tokens, or a baseline."""
    speculation, _, nccl = variant.partition(".")
    steps = 0 if speculation == "none" else 2
    tokens = 3 if steps else 0
    whole = {"variant": variant, "nccl": nccl, "load": 1, "num_steps": steps, "num_draft_tokens": tokens}
    times = {"verify_s": None, "decode_s": None, "cycle_s": 0.004} | changes
    passed_s = times["verify_s"] if steps else times["decode_s"] or times["cycle_s"]
    return whole | {"verify_s_by_round": [passed_s]} | times


FAST = probed(bare=timed({BASELINE: 10e-6, VERIFY: 20e-6}))
SLOW = probed(bare=timed({BASELINE: 15e-6, VERIFY: 50e-6}))


class TestTimes:
    """Tests of `times`."""

    def test_of_one_all_reduce(self) -> None:
        """A replay's time over its all-reduces: the median, and the middle half."""
        found = times(FAST)[VERIFY]

        assert found["allreduce_s"] == pytest.approx(20e-6)
        assert found["allreduce_low_s"] == pytest.approx(19e-6)
        assert found["allreduce_high_s"] == pytest.approx(21e-6)

    def test_of_a_wrong_sum(self) -> None:
        """A time of something else than an all-reduce is none."""
        assert times(probed(bare=timed({VERIFY: 1e-6}, right=False))) == {}


class TestBare:
    """Tests of `bare`."""

    def test_what_nccl_serves(self) -> None:
        """A time of NCCL's is none of a variant that another all-reduce serves."""
        custom = probed(lines(VERIFY, count=1), bare=timed({VERIFY: 50e-6}))

        found = bare({"default": FAST, "custom": custom})

        assert [(row["nccl"], row["bytes"]) for row in found] == [("default", BASELINE), ("default", VERIFY)]
        assert found[1]["allreduce_s"] == pytest.approx(20e-6)


class TestPredict:
    """Tests of `predict`."""

    def test_by_hand(self) -> None:
        """Five all-reduces, each 30 us slower: 150 us; 200 us were measured, so 50 us are not explained."""
        summary = [row("s2.default", verify_s=0.0010), row("s2.slow", verify_s=0.0012)]

        found = predict({"default": FAST, "slow": SLOW}, "default", summary)[1]

        assert (found["all_reduces"], found["bytes"]) == (5, VERIFY)
        assert found["predicted_s"] == pytest.approx(250e-6)
        assert found["predicted_difference_s"] == pytest.approx(150e-6)
        assert found["measured_difference_s"] == pytest.approx(200e-6)
        assert found["rest_s"] == pytest.approx(50e-6)

    def test_a_baseline_is_its_decode_step(self) -> None:
        """Without speculation the cycle is the pass of the target, of one token."""
        summary = [row("none.default"), row("none.slow", cycle_s=0.0041)]

        found = predict({"default": FAST, "slow": SLOW}, "default", summary)[1]

        assert found["predicted_difference_s"] == pytest.approx(25e-6)
        assert found["measured_difference_s"] == pytest.approx(100e-6)

    def test_a_decode_step_that_was_timed(self) -> None:
        """The phase timer's decode step beats the cycle, which has the host's time in it."""
        summary = [row("none.default", decode_s=0.0030), row("none.slow", decode_s=0.0032, cycle_s=0.009)]

        found = predict({"default": FAST, "slow": SLOW}, "default", summary)[1]

        assert found["measured_difference_s"] == pytest.approx(200e-6)

    def test_without_phases(self) -> None:
        """The prediction stands alone where no verify was timed."""
        found = predict({"default": FAST, "slow": SLOW}, "default", [row("s2.default"), row("s2.slow")])[1]

        assert found["predicted_difference_s"] == pytest.approx(150e-6)
        assert (found["measured_difference_s"], found["rest_s"]) == (None, None)

    def test_where_nccl_does_not_serve(self) -> None:
        """Bare all-reduces of NCCL's predict nothing of a pass that another all-reduce serves."""
        custom = probed(lines(VERIFY, count=1), bare=timed({VERIFY: 50e-6}))
        summary = [row("s2.default", verify_s=0.001), row("s2.custom", verify_s=0.002)]

        found = predict({"default": FAST, "custom": custom}, "default", summary)[1]

        assert (found["on_the_path"], found["predicted_difference_s"], found["rest_s"]) == (False, None, None)
        assert found["measured_difference_s"] == pytest.approx(0.001)

    def test_the_difference_is_that_of_the_rounds_that_both_have(self) -> None:
        """200, 210 and 190 us more: t(2) is 4.303, so 200 us +- 4.303 x 10 / sqrt(3); what drifts cancels."""
        summary = [
            row("s2.default", verify_s=0.00126, verify_s_by_round=[0.0010, 0.0020, 0.0010, None]),
            row("s2.slow", verify_s=0.00142, verify_s_by_round=[0.0012, 0.00221, 0.00119, 0.0013]),
        ]

        found = predict({"default": FAST, "slow": SLOW}, "default", summary)[1]

        half = 4.302653 * 10e-6 / 3**0.5
        assert found["measured_difference_s"] == pytest.approx(200e-6)
        assert found["rest_s"] == pytest.approx(50e-6)
        assert found["measured_difference_low_s"] == pytest.approx(200e-6 - half)
        assert found["measured_difference_high_s"] == pytest.approx(200e-6 + half)

    def test_one_round_has_no_interval(self) -> None:
        """The difference stands alone."""
        summary = [
            row(f"s2.{nccl}", verify_s=0.001, verify_s_by_round=[0.001]) for nccl in ("default", "slow")
        ]

        found = predict({"default": FAST, "slow": SLOW}, "default", summary)[1]

        assert (found["measured_difference_s"], found["measured_difference_low_s"]) == (0, None)

    def test_of_what_was_not_timed(self) -> None:
        """No benchmark, no row."""
        assert predict({"default": probed()}, "default", [row("s2.default")]) == []

    def test_against_the_same_set_of_arguments(self) -> None:
        """A set of arguments is held against the same set under the reference."""
        named = {"args_set": "big"}
        summary = [
            row("s2.default.big", verify_s=0.0010, nccl="default", **named),
            row("s2.slow.big", verify_s=0.0012, nccl="slow", **named),
        ]

        found = predict({"default": FAST, "slow": SLOW}, "default", summary)[1]

        assert found["measured_difference_s"] == pytest.approx(200e-6)
