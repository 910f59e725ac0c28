from typing import Any

import polars as pl
import pytest

from sweetspot.analyse.summary import SUMMARY
from sweetspot.analyse.verdict import judge

Row = dict[str, Any]


def row(variant: str, speed: float | None, speedup: tuple[float, float] | None = None, **changes: Any) -> Row:  # noqa: ANN401
    """Return a sound row of the summary; *speedup* is its interval."""
    speculation, nccl = variant.split(".")
    num_steps = 0 if speculation.startswith("none") else int(speculation[1:])
    low, high = speedup or (None, None)
    return dict.fromkeys(SUMMARY) | {
        "variant": variant,
        "num_steps": num_steps,
        "nccl": nccl,
        "load": 1,
        "control": speculation == "none-again",
        "baseline": f"none.{nccl}",
        "status": "complete",
        "decode_tokens_per_s": speed,
        "decode_tokens_per_s_low": speed and speed * 0.98,
        "decode_tokens_per_s_high": speed and speed * 1.02,
        "speedup": None if low is None or high is None else (low + high) / 2,
        "speedup_low": low,
        "speedup_high": high,
        "accept_length": 1.0 if num_steps == 0 else 1.5,
        "identity_residual": 0.001,
        "exact": "reference" if speculation == "none" else "exact",
        **changes,
    }


def judged(*rows: Row, load: int | None = None) -> tuple[Row, dict[str, str]]:
    """Return the verdict on *rows*, and the verdicts at load 1 by variant."""
    found = judge(pl.DataFrame(rows, SUMMARY), load)
    return found, {entry["variant"]: entry["verdict"] for entry in found["rows"] if entry["load"] == 1}


BASELINE = row("none.default", 100)


class TestRows:
    """Tests of the verdict on each row."""

    @pytest.mark.parametrize(
        ("speedup", "verdict", "reason"),
        [
            ((1.01, 1.20), "faster", "speedup 1.010 to 1.200, above 1"),
            ((0.80, 0.99), "slower", "speedup 0.800 to 0.990, below 1"),
            ((0.99, 1.20), "unclear", "speedup 0.990 to 1.200, around 1"),
        ],
    )
    def test_interval(self, speedup: tuple[float, float], verdict: str, reason: str) -> None:
        """Only an interval that leaves 1 out is a difference."""
        found, verdicts = judged(BASELINE, row("s2.default", 110, speedup))

        assert verdicts == {"none.default": "reference", "s2.default": verdict}
        assert found["rows"][1]["reasons"] == [reason]

    def test_one_round(self) -> None:
        """A ratio without an interval is no proof, however large."""
        found, verdicts = judged(BASELINE, row("s2.default", 300, speedup=None) | {"speedup": 3.0})

        assert verdicts["s2.default"] == "unclear"
        assert found["rows"][1]["reasons"] == [
            "measured in one round beside its baseline, so without an interval"
        ]
        assert found["winner"] == "none.default"

    @pytest.mark.parametrize(
        "changes",
        [{"exact": "inexact", "diverged_share": 1.0}, {"identity_residual": 0.2}, {"accept_length": 1.0}],
    )
    def test_broken(self, changes: Row) -> None:
        """A row with a fault does not win, however fast."""
        found, verdicts = judged(BASELINE, row("s2.default", 300, (2.9, 3.1), **changes))

        assert verdicts["s2.default"] == "broken"
        assert (found["winner"], found["use_baseline"]) == ("none.default", True)

    def test_failed(self) -> None:
        """A variant whose launches all failed is told apart from one that is slow."""
        failed = row("s2.default", None, status="failed", failure="died: exit status 9", exact=None)

        found, verdicts = judged(BASELINE, failed)

        assert verdicts["s2.default"] == "failed"
        assert found["rows"][1]["reasons"] == ["died: exit status 9"]

    @pytest.mark.parametrize(
        ("changes", "state", "words"),
        [
            ({"identity_residual": 1.0}, "broken", "is broken"),
            ({"status": "failed", "failure": "died", "decode_tokens_per_s": None}, "failed", "failed"),
        ],
    )
    def test_baseline_of_no_use(self, changes: Row, state: str, words: str) -> None:
        """Nothing is faster than a number that is wrong or missing."""
        found, verdicts = judged(BASELINE | changes, row("s2.default", 300, (2.9, 3.1)))

        assert verdicts == {"none.default": state, "s2.default": "unclear"}
        assert found["rows"][1]["reasons"] == [f"its baseline none.default {words}"]
        assert found["winner"] is None
        assert found["sentence"] == "At load 1 no baseline gave a number to compare with."

    def test_caveats(self) -> None:
        """A partial row and near-ties are no fault, and are told."""
        near_tie = {"exact": "near-tie", "worst_nats": 0.004, "status": "partial", "failure": "stalled: 60 s"}

        found, verdicts = judged(BASELINE, row("s2.default", 130, (1.2, 1.4), **near_tie))

        assert verdicts["s2.default"] == "faster"
        assert found["rows"][1]["reasons"][:2] == [
            "partial: stalled: 60 s",
            "tokens differ in near-ties alone, at most 0.0040 nats",
        ]

    def test_load_never_reached(self) -> None:
        """A row without a speed says what to do."""
        found, verdicts = judged(BASELINE, row("s2.default", None))

        assert verdicts["s2.default"] == "unclear"
        assert "the whole load never decoded at once; send more prompts" in found["rows"][1]["reasons"][0]


class TestWinner:
    """Tests of the winner and its sentence."""

    def test_the_fastest(self) -> None:
        """Of two that are told apart the faster one wins, and not the one with the longer accept_length."""
        found, _ = judged(
            BASELINE,
            row("s2.default", 150, (1.45, 1.55), accept_length=2.0),
            row("s3.default", 130, (1.25, 1.35), accept_length=2.6),
        )

        assert (found["winner"], found["use_baseline"], found["tied_with"]) == ("s2.default", False, [])
        assert found["sentence"] == (
            "At load 1 use s2.default, 150 tokens/s: 1.5 times its baseline none.default "
            "(95 % interval 1.45 to 1.55), the same tokens."
        )

    def test_ties_go_to_fewer_steps(self) -> None:
        """Where intervals overlap, the cheaper configuration is as good."""
        found, _ = judged(
            BASELINE,
            row("s2.default", 148, (1.44, 1.52)),
            row("s3.default", 150, (1.46, 1.54)),
            row("s5.default", 130, (1.25, 1.35)),
        )

        assert (found["winner"], found["tied_with"]) == ("s2.default", ["s3.default"])
        assert found["sentence"].endswith("; not told apart from s3.default, with as many steps or more.")

    def test_speeds_overlap_and_speedups_do_not(self) -> None:
        """What slows all down in a round widens the speeds' intervals, not those of the speedups."""
        wide = {"decode_tokens_per_s_low": 80.0, "decode_tokens_per_s_high": 200.0}

        found, _ = judged(
            BASELINE,
            row("s2.default", 140, (1.38, 1.42)) | wide,
            row("s3.default", 150, (1.48, 1.52)) | wide,
        )

        assert (found["winner"], found["tied_with"]) == ("s3.default", [])

    def test_nothing_is_faster(self) -> None:
        """The baseline is a legal answer."""
        found, _ = judged(BASELINE, row("s2.default", 90, (0.85, 0.95)), row("s3.default", 101, (0.95, 1.07)))

        assert (found["winner"], found["use_baseline"]) == ("none.default", True)
        assert found["sentence"] == (
            "At load 1 use the baseline none.default, 100 tokens/s: nothing is proven faster."
        )

    def test_another_baseline_beats_every_speedup(self) -> None:
        """Speculation may gain much over a slow NCCL variant and still lose to a fast one without it."""
        found, verdicts = judged(
            BASELINE,
            row("s2.default", 130, (1.25, 1.35)),
            row("none.ring", 160),
            row("s2.ring", 140, (0.85, 0.9)),
        )

        assert verdicts["s2.default"] == "faster"
        assert (found["winner"], found["use_baseline"]) == ("none.ring", True)

    def test_a_beaten_baseline_wins_no_tie(self) -> None:
        """Speeds vary more from round to round than speedups: none.default is known to be slower than s2."""
        wide = {"decode_tokens_per_s_low": 80.0, "decode_tokens_per_s_high": 150.0}

        found, _ = judged(
            BASELINE | wide,
            row("s2.default", 109, (1.07, 1.11)) | wide,
            row("none.ring", 100) | wide,
            row("s3.ring", 110, (1.08, 1.12)) | wide,
        )

        assert (found["winner"], found["tied_with"]) == ("s2.default", ["s3.ring"])

    def test_a_control_never_wins(self) -> None:
        """The baseline measured twice shows noise; a control that comes out faster is a warning."""
        found, verdicts = judged(BASELINE, row("none-again.default", 120, (1.1, 1.3)))

        assert verdicts["none-again.default"] == "faster"
        assert found["winner"] == "none.default"
        assert found["warnings"] == [
            "none-again.default at load 1 repeats none.default and is faster, speedup 1.100 to 1.300: "
            "so small a difference proves nothing"
        ]

    @pytest.mark.parametrize(("asked", "load", "winner"), [(None, 1, "s2.default"), (8, 8, "none.default")])
    def test_verdict_load(self, asked: int | None, load: int, winner: str) -> None:
        """The load that decides is the study's, the smallest if it names none."""
        found, _ = judged(
            BASELINE | {"load": 8},
            BASELINE,
            row("s2.default", 90, (0.85, 0.95), load=8),
            row("s2.default", 130, (1.2, 1.4)),
            load=asked,
        )

        assert (found["verdict_load"], found["winner"]) == (load, winner)
        assert [(entry["variant"], entry["load"]) for entry in found["rows"]] == [
            ("none.default", 8),
            ("none.default", 1),
            ("s2.default", 8),
            ("s2.default", 1),
        ]

    def test_sampled(self) -> None:
        """At a temperature above 0 a variant can win, and the sentence claims no equal tokens."""
        sampled = {"exact": "not claimed (temperature > 0)"}

        found, _ = judged(BASELINE | sampled, row("s2.default", 130, (1.2, 1.4), **sampled))

        assert found["winner"] == "s2.default"
        assert found["sentence"].endswith(", equal tokens not claimed (temperature > 0).")

    def test_many_ties(self) -> None:
        """The sentence stays short."""
        rows = [row(f"s{steps}.default", 130, (1.2, 1.4)) for steps in range(1, 7)]

        found, _ = judged(BASELINE, *rows)

        assert len(found["tied_with"]) == 5
        assert "from s2.default, s3.default, s4.default and 2 more, with" in found["sentence"]
