from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.special import ndtri, stdtrit

from sweetspot.analyse.speedup_columns import speedup_columns
from sweetspot.analyse.summary_columns import SUMMARY
from sweetspot.analyse.verdict import judge
from sweetspot.errors import StudyError
from tests.analyse.made_up import row_of

Row = dict[str, Any]


def judged(*rows: Row, load: int | None = None) -> tuple[Row, dict[str, str]]:
    """Return the verdict on *rows*, and the verdicts at load 1 by variant."""
    for each in {row["load"] for row in rows}:
        of_load = [row for row in rows if row["load"] == each]
        for row, columns in zip(of_load, speedup_columns(of_load), strict=True):
            row.update({name: value for name, value in columns.items() if row[name] is None})
    found = judge(pl.DataFrame(rows, SUMMARY), load)
    return found, {entry["variant"]: entry["verdict"] for entry in found["rows"] if entry["load"] == 1}


def around(speed: float, share: float = 0.001, shift: int = 0) -> list[float]:
    """Return the speeds of four rounds, *share* above and below *speed*, in an order by *shift*."""
    signs = [(1, -1, 1, -1), (1, 1, -1, -1), (1, -1, -1, 1)][shift]
    return [speed * (1 + share) ** sign for sign in signs]


def baseline(speed: float = 100, nccl: str = "default", **changes: Any) -> Row:  # noqa: ANN401
    """Return a baseline."""
    return row_of(f"none.{nccl}", around(speed), **changes)


def row(variant: str, speed: float, share: float = 0.001, shift: int = 1, **changes: Any) -> Row:  # noqa: ANN401
    """Return a variant with rounds *share* off its speed."""
    return row_of(variant, around(speed, share, shift), **changes)


class TestRows:
    """Tests of the verdict on each row."""

    @pytest.mark.parametrize(
        ("speed", "verdict", "reason"),
        [
            (110, "faster", r"speedup 1.100 [1.097, 1.103], above 1, adjusted p "),
            (90, "slower", r"speedup 0.900 [0.898, 0.902], below 1, adjusted p "),
            (100.1, "unclear", r"speedup 1.001 [0.998, 1.004], around 1, adjusted p 0.3"),
        ],
    )
    def test_interval(self, speed: float, verdict: str, reason: str) -> None:
        """Only an interval that leaves 1 out is a difference."""
        found, verdicts = judged(baseline(), row("s2.default", speed))

        assert verdicts == {"none.default": "reference", "s2.default": verdict}
        assert found["rows"][1]["reasons"][0].startswith(reason)

    @pytest.mark.parametrize(
        ("speed", "verdict"),
        [(109, "unclear"), (111, "faster"), (92, "unclear"), (90, "slower")],
    )
    def test_finer_than_the_resolution(self, speed: float, verdict: str) -> None:
        """A difference smaller than that of two servers alike is not claimed, however narrow its interval."""
        found, verdicts = judged(baseline(), row("s2.default", speed, resolution=0.10))

        assert verdicts["s2.default"] == verdict
        told = "within the 10 % by which two CPU servers differ" in found["rows"][1]["reasons"][0]
        assert told is (verdict == "unclear")

    def test_one_round(self) -> None:
        """A ratio without an interval is no proof, however large, and two more rounds would give one."""
        found, verdicts = judged(row_of("none.default", [100]), row_of("s2.default", [300]))

        assert verdicts["s2.default"] == "unclear"
        assert found["rows"][1]["reasons"] == [
            "measured in one round beside its baseline, so without an interval"
        ]
        assert (found["winner"], found["more_rounds"]) == ("none.default", {"s2.default": 2})
        assert "No speedup has an interval: that takes two rounds." in found["detail"]
        assert "s2.default was faster as measured, 300 tokens/s: unclear." in found["detail"]

    @pytest.mark.parametrize(
        "changes",
        [{"exact": "inexact", "diverged_share": 1.0}, {"identity_residual": 0.2}, {"accept_length": 1.0}],
    )
    def test_broken(self, changes: Row) -> None:
        """A row with a fault does not win, however fast."""
        found, verdicts = judged(baseline(), row("s2.default", 300, **changes))

        assert verdicts["s2.default"] == "broken"
        assert (found["winner"], found["use_baseline"]) == ("none.default", True)
        assert "Not ranked, broken or failed: s2.default." in found["detail"]

    def test_failed(self) -> None:
        """A variant whose launches all failed is told apart from one that is slow."""
        failed = row_of("s2.default", None, status="failed", failure="died: exit status 9", exact=None)

        found, verdicts = judged(baseline(), failed)

        assert verdicts["s2.default"] == "failed"
        assert found["rows"][1]["reasons"] == ["died: exit status 9"]

    @pytest.mark.parametrize(
        ("lost", "state", "words"),
        [
            (baseline(identity_residual=1.0), "broken", "is broken"),
            (row_of("none.default", None, status="failed", failure="died"), "failed", "failed"),
        ],
    )
    def test_baseline_of_no_use(self, lost: Row, state: str, words: str) -> None:
        """Nothing is faster than a number that is wrong or missing."""
        found, verdicts = judged(dict(lost), row("s2.default", 300))

        assert verdicts == {"none.default": state, "s2.default": "unclear"}
        assert found["rows"][1]["reasons"] == [f"its baseline none.default {words}"]
        assert (found["winner"], found["sweet_spot"]) == (None, [])
        assert found["sentence"] == "At load 1 no baseline gave a number to compare with."

    def test_caveats(self) -> None:
        """A partial row and near-ties are no fault, and are told."""
        near_tie = {"exact": "near-tie", "worst_nats": 0.004, "status": "partial", "failure": "stalled: 60 s"}

        found, verdicts = judged(baseline(), row("s2.default", 130, **near_tie))

        assert verdicts["s2.default"] == "faster"
        assert found["rows"][1]["reasons"][:2] == [
            "partial: stalled: 60 s",
            "tokens differ in near-ties alone, at most 0.0040 nats",
        ]

    def test_a_second_opinion(self) -> None:
        """Where the bootstrap does not leave 1 out, the verdict stands and the doubt beside it."""
        doubt = {"speedup_bootstrap_low": 0.95, "speedup_bootstrap_high": 1.3}

        found, verdicts = judged(baseline(), row("s2.default", 110, **doubt))

        assert verdicts["s2.default"] == "faster"
        assert found["rows"][1]["reasons"][0] == (
            "with other prompts it might be 0.950 to 1.300, by the bootstrap"
        )

    def test_load_never_reached(self) -> None:
        """A row without a speed says what to do."""
        found, verdicts = judged(baseline(), row_of("s2.default", [None] * 4))

        assert verdicts["s2.default"] == "unclear"
        assert "the whole load never decoded at once; send more prompts" in found["rows"][1]["reasons"][0]

    def test_a_timer_that_costs_time(self) -> None:
        """A control without the timer that is faster tells by how much, and its twin's verdict stands."""
        twin = row("s2.default", 150)
        control = {"control": True, "untimed": True, "baseline": "s2.default"}

        found, verdicts = judged(baseline(), twin, row("s2-untimed.default", 156, shift=2, **control))

        assert verdicts["s2.default"] == verdicts["s2-untimed.default"] == "faster"
        assert found["winner"] == "s2.default"
        (warning,) = found["warnings"]
        assert warning.startswith(
            "s2-untimed.default at load 1 is s2.default without the timer and is faster,"
        )
        assert warning.endswith(": by so much the timer changes what it times")


class TestWinner:
    """Tests of the winner and its sentence."""

    def test_the_fastest(self) -> None:
        """Of two that are told apart the faster one wins, and not the one with the longer accept_length."""
        found, _ = judged(
            baseline(),
            row("s2.default", 150, accept_length=2.0),
            row("s3.default", 130, accept_length=2.6),
        )

        assert (found["winner"], found["use_baseline"], found["tied_with"]) == ("s2.default", False, [])
        assert found["sweet_spot"] == ["s2.default"]
        assert found["sentence"] == (
            "At load 1 use s2.default: 1.500 [1.495, 1.505] times its baseline none.default, the same tokens."
        )
        assert found["detail"].startswith(
            "s2.default decodes 150 tokens/s. It is clearly faster than every other variant that beats the "
            "baselines. Intervals of speedups are adjusted"
        )

    def test_digits(self) -> None:
        """What it gains has the digits that the interval supports, as in the table."""
        found, _ = judged(baseline(), row("s2.default", 150, share=0.09))

        assert found["sentence"].startswith("At load 1 use s2.default: 1.5 [1.3, 1.8] times its baseline")

    def test_alone_it_is_not_the_fastest_of_many(self) -> None:
        """Where one variant beats the baseline there is nothing to say of others."""
        control = row("none-again.default", 101, control=True, num_steps=0)
        unclear = row("s5.default", 100.1, share=0.02)
        found, rows = judged(baseline(), row("s2.default", 150), row("s3.default", 90), unclear, control)

        assert found["winner"] == "s2.default"
        assert (rows["none-again.default"], rows["s5.default"]) == ("faster", "unclear")
        assert "faster as measured" not in found["detail"]
        assert "every other" not in found["detail"]

    def test_ties_go_to_fewer_steps(self) -> None:
        """Where the best can't be told apart, the cheaper configuration is as good."""
        found, _ = judged(
            baseline(),
            row("s2.default", 149, share=0.01, shift=1),
            row("s3.default", 151, share=0.01, shift=2),
            row("s5.default", 120, share=0.01),
        )

        assert (found["winner"], found["tied_with"]) == ("s2.default", ["s3.default"])
        assert found["sweet_spot"] == ["s2.default", "s3.default"]
        told = "s3.default is the fastest as measured, 151 tokens/s, and not told apart from s2.default: "
        assert told in found["detail"]
        assert "clearly faster" not in found["detail"]

    @pytest.mark.parametrize("plainer_first", [True, False])
    def test_then_to_the_plainer_nccl_variant(self, plainer_first: bool) -> None:
        """Of as many steps, that of the NCCL variant which stands earlier in the plan."""
        plain = [baseline(), row("s2.default", 150, share=0.005, shift=1), row("s3.default", 151, 0.005, 2)]
        ring = [baseline(100.2, "ring"), row("s2.ring", 151, share=0.005, shift=2)]

        found, _ = judged(*(plain + ring if plainer_first else ring + plain))

        assert found["winner"] == ("s2.default" if plainer_first else "s2.ring")
        assert set(found["sweet_spot"]) == {"s2.default", "s3.default", "s2.ring"}

    def test_what_slows_a_round_is_no_spread(self) -> None:
        """Speeds that vary alike from round to round are told apart by what is left."""
        drift = [1.0, 0.5, 1.4, 0.9]
        rows = [baseline(), row("s2.default", 140, shift=1), row("s3.default", 142, shift=2)]
        for each in rows:
            speeds = each["decode_tokens_per_s_by_round"]
            each["decode_tokens_per_s_by_round"] = [a * b for a, b in zip(speeds, drift, strict=True)]

        found, _ = judged(*rows)

        assert (found["winner"], found["tied_with"]) == ("s3.default", [])

    def test_nothing_is_faster(self) -> None:
        """The baseline is a legal answer."""
        found, _ = judged(baseline(), row("s2.default", 90), row("s3.default", 100.1))

        assert (found["winner"], found["use_baseline"]) == ("none.default", True)
        assert found["sentence"] == "At load 1 use the baseline none.default: nothing is proven faster."

    def test_another_baseline_beats_every_speedup(self) -> None:
        """Speculation may gain much over a slow NCCL variant and still lose to a fast one without it."""
        found, verdicts = judged(
            baseline(), row("s2.default", 130), baseline(160, "ring"), row("s2.ring", 140)
        )

        assert (verdicts["s2.default"], verdicts["s2.ring"]) == ("faster", "slower")
        assert (found["winner"], found["use_baseline"]) == ("none.ring", True)
        assert found["more_rounds"] == {}

    def test_the_winner_beats_every_baseline(self) -> None:
        """Faster than its own is not enough: one that may be as slow as another baseline can't win."""
        found, verdicts = judged(
            baseline(), row("s2.default", 130, share=0.02), baseline(128, "ring"), row("s2.ring", 120)
        )

        assert verdicts["s2.default"] == "faster"
        assert found["winner"] == "none.ring"
        assert found["more_rounds"]["s2.default"] > 0

    def test_what_is_not_told_from_every_baseline_is_named(self) -> None:
        """It beats its own, and was measured to be faster than the one to use, which is not proven."""
        slow = [baseline(100), row("s2.default", 120, share=0.02)]
        fast = [row_of("none.ring", around(119, 0.02, shift=2))]

        found, verdicts = judged(*slow, *fast)

        assert verdicts["s2.default"] == "faster"
        assert found["winner"] == "none.ring"
        assert (
            "s2.default was faster as measured, 120 tokens/s: proven faster than its own baseline "
            "none.default, not than every baseline at once." in found["detail"]
        )

    def test_of_each_kind_that_is_not_proven_one_is_named(self) -> None:
        """What beats its own baseline alone is not hidden by what is unclear and faster still."""
        died = row_of("none.tree", None, status="failed", failure="died")
        fast = [row_of("none.ring", around(119, 0.02, shift=2)), died, row("s3.tree", 130)]

        found, verdicts = judged(baseline(100), row("s2.default", 120, share=0.02), *fast)

        assert (verdicts["s2.default"], verdicts["s3.tree"]) == ("faster", "unclear")
        assert found["sentence"].endswith(
            "use the baseline none.ring: nothing is proven faster than every baseline."
        )
        assert (
            "proven faster than its own baseline none.default, not than every baseline at once. s3.tree was "
            "faster as measured, 130 tokens/s: unclear."
        ) in found["detail"]

    def test_it_is_not_said_to_be_faster_than_none(self) -> None:
        """Where nothing else beats every baseline, it is not clearly faster than what does."""
        found, verdicts = judged(
            baseline(),
            row("s2.default", 150),
            baseline(120, "ring"),
            baseline(90, "tree"),
            row("s2.tree", 115),
        )

        assert (found["winner"], verdicts["s2.tree"]) == ("s2.default", "faster")
        assert "every other" not in found["detail"]

    def test_what_is_faster_and_left_out_is_named(self) -> None:
        """A wide row may be tied with the fastest where one that was measured to be faster is not."""
        one, other = {"launch": "oneload.default"}, {"launch": "oneload.ring"}
        found, verdicts = judged(
            baseline(100, **one),
            row("s2.default", 140, share=0.06, **one),
            row("s3.default", 151, share=0.06, shift=2, **one),
            baseline(100, "ring", **other),
            row("s3.ring", 143, **other),
            row("s5.ring", 150, shift=2, **other),
        )

        assert (found["winner"], verdicts["s3.ring"]) == ("s2.default", "faster")
        assert "s3.ring" not in found["sweet_spot"]
        assert (
            "Faster as measured than s2.default, but known to be slower than another: s3.ring."
            in found["detail"]
        )

    def test_two_cpu_servers(self) -> None:
        """The winner is told from the baseline of another server, and from what may win, by 10 % at least."""
        cpu = {"resolution": 0.10}
        rows = [baseline(100), row("s2.default", 115, **cpu), row("s3.default", 120, shift=2, **cpu)]

        tied, _ = judged(*rows)
        lost, verdicts = judged(*rows, baseline(112, "ring"))

        assert (tied["winner"], tied["tied_with"]) == ("s2.default", ["s3.default"])
        assert (lost["winner"], verdicts["s3.default"]) == ("none.ring", "faster")
        assert tied["more_rounds"] == lost["more_rounds"] == {}  # none would tell

    def test_one_cpu_server(self) -> None:
        """Inside one server a difference of less than that counts."""
        cpu = {"resolution": 0.10, "launch": "oneload.default"}

        found, _ = judged(
            baseline(100), row("s2.default", 115, **cpu), row("s3.default", 120, shift=2, **cpu)
        )

        assert found["sweet_spot"] == ["s3.default"]

    def test_it_says_which_baselines_it_beats(self) -> None:
        """A reader sees that the fastest NCCL variant without speculation was among them."""
        found, _ = judged(baseline(), row("s2.default", 150), baseline(120, "ring"), row("s2.ring", 130))

        assert found["winner"] == "s2.default"
        assert "It beats each of 2 baselines (none.default, none.ring)." in found["detail"]

    def test_ties_of_baselines(self) -> None:
        """Of two baselines that can't be told apart, the plainer one is used."""
        found, _ = judged(baseline(100), row("s2.default", 90), row_of("none.ring", around(100.1, shift=2)))

        assert (found["winner"], found["tied_with"]) == ("none.default", ["none.ring"])
        assert "Of the baselines none.ring is the fastest as measured" in found["detail"]

    def test_a_control_never_wins(self) -> None:
        """The baseline measured twice shows noise; a control that comes out faster is a warning."""
        found, verdicts = judged(baseline(), row("none-again.default", 120))

        assert verdicts["none-again.default"] == "faster"
        assert found["winner"] == "none.default"
        assert found["warnings"] == [
            "none-again.default at load 1 repeats none.default and is faster, speedup 1.200 [1.194, 1.206]: "
            "so small a difference proves nothing"
        ]

    def test_a_baseline_with_other_tokens(self) -> None:
        """An NCCL variant that changes the text is no fault of its variants, and is said once."""
        other = {"baseline_diverged_share": 0.25, "exact": "exact"}

        found, verdicts = judged(
            baseline(baseline_diverged_share=0.0),
            row("s2.default", 130, baseline_diverged_share=0.0),
            baseline(101, "ring", **other),
            row("s2.ring", 150, **other),
        )

        assert (verdicts["s2.ring"], found["winner"]) == ("faster", "s2.ring")
        assert len(found["warnings"]) == 1
        assert found["warnings"][0].startswith(
            "none.ring answers 25 % of the prompts otherwise than none.default"
        )

    @pytest.mark.parametrize(("load", "share", "told"), [(8, 0.66, True), (8, 0.78, False), (1, 0.66, False)])
    def test_a_speed_of_few_cycles(self, load: int, share: float, told: bool) -> None:
        """Above load 1 a row whose speed leaves a quarter of its cycles out says so, and how to mend it."""
        found, _ = judged(
            baseline(load=load), row("s2.default", 130, load=load, full_load_share=share), load=load
        )

        reasons = "; ".join(found["rows"][1]["reasons"])
        assert ("the speed is of 66 % of the cycles, in which the whole load ran; send 4" in reasons) is told

    @pytest.mark.parametrize(
        ("shares", "winner"),
        [((0.51, 0.51), "s2.default"), ((0.49, 1), "none.default"), ((1, 0.49), "none.default")],
    )
    def test_a_speed_of_less_than_half_of_the_cycles(self, shares: tuple[float, float], winner: str) -> None:
        """It wins nothing, be it the row's own or its baseline's."""
        found, _ = judged(
            baseline(load=8, full_load_share=shares[0]),
            row("s2.default", 130, load=8, full_load_share=shares[1]),
            load=8,
        )

        assert found["winner"] == winner

    @pytest.mark.parametrize(
        ("share", "load", "told"),
        [(1.009, 1, False), (0.98, 1, True), (1.02, 1, True), (1.029, 8, False), (0.96, 8, True)],
    )
    def test_a_timer_that_missed_time(self, share: float, load: int, told: bool) -> None:
        """With one request in flight 1 % is allowed; with eight, of 125 cycles in 2.5 windows, 3 %."""
        timed = {"load": load, "requests": 20, "timed_cycles": 125, "timed_share": share}

        found, _ = judged(baseline(load=load), row("s2.default", 130, **timed), load=load)

        reasons = "; ".join(found["rows"][1]["reasons"])
        assert ("of the client's decode time, expected 9" in reasons) is told

    @pytest.mark.parametrize(("asked", "load", "winner"), [(None, 1, "s2.default"), (8, 8, "none.default")])
    def test_verdict_load(self, asked: int | None, load: int, winner: str) -> None:
        """The load that decides is the study's, the smallest if it names none."""
        found, _ = judged(
            baseline(load=8),
            baseline(),
            row("s2.default", 90, load=8),
            row("s2.default", 130),
            load=asked,
        )

        assert (found["verdict_load"], found["winner"]) == (load, winner)
        assert [(entry["variant"], entry["load"]) for entry in found["rows"]] == [
            ("none.default", 8),
            ("none.default", 1),
            ("s2.default", 8),
            ("s2.default", 1),
        ]

    def test_a_load_that_was_not_measured(self) -> None:
        """No other load is put in its place."""
        with pytest.raises(StudyError, match=r"verdict_load: 4, expected one of the study's loads \[1\]"):
            judged(baseline(), load=4)

    def test_sampled(self) -> None:
        """At a temperature above 0 a variant can win, and the sentence claims no equal tokens."""
        sampled = {"exact": "not claimed (temperature > 0)"}

        found, _ = judged(baseline(**sampled), row("s2.default", 130, **sampled))

        assert found["winner"] == "s2.default"
        assert found["sentence"].endswith(", equal tokens not claimed (temperature > 0).")

    def test_many_ties(self) -> None:
        """The sentence stays short, and so does its detail."""
        rows = [row(f"s{steps}.default", 130, share=0.01, shift=steps % 3) for steps in range(1, 7)]

        found, _ = judged(baseline(), *rows)

        assert len(found["tied_with"]) == 5
        assert len(found["sentence"].split()) <= 20
        assert "from s2.default, s3.default, s4.default and 2 more: then fewer steps" in found["detail"]


class TestMoreRounds:
    """Tests of `more_rounds`."""

    @staticmethod
    def rounds_of(speeds: Sequence[tuple[float, float]], times: int) -> list[Row]:
        """Return a baseline and a variant with these speeds, over and over."""
        first, second = (list(side) * times for side in zip(*speeds, strict=True))
        return [row_of("none.default", first), row_of("s2.default", second)]

    def test_they_decide(self) -> None:
        """With as many more rounds like those that were measured, what was unclear is not."""
        speeds = [(100, 101), (100, 107), (100, 102), (100, 98)]
        before, verdicts = judged(*self.rounds_of(speeds, 1))
        more = before["more_rounds"]["s2.default"]

        after, verdicts_after = judged(*self.rounds_of(speeds, 1 + -(-more // len(speeds))))

        assert verdicts["s2.default"] == "unclear"
        assert 4 < more < 60
        assert verdicts_after["s2.default"] == "faster"
        assert after["more_rounds"] == {}
        assert f"More rounds that would settle what is open: {more} for s2.default." in before["detail"]

    def test_of_many_the_most_is_said(self) -> None:
        """The three soonest settled are named; for the rest stands what the last of them takes."""
        gains = {1: 5, 2: 4, 3: 3, 4: 2, 5: 1.5}
        others = [row(f"s{steps}.default", 100 + gain, share=0.02) for steps, gain in gains.items()]

        found, _ = judged(baseline(), *others)

        most = max(found["more_rounds"].values())
        assert f" and up to {most} for 2 others." in found["detail"]

    def test_those_of_the_winner_come_first(self) -> None:
        """They may make another one win, so they matter more than what is soonest settled."""
        variants = {"s2.default": (150, 2), "s3.default": (153, 1), "s5.default": (102.5, 0)}
        found, _ = judged(
            baseline(), *(row(name, speed, 0.02, shift) for name, (speed, shift) in variants.items())
        )

        more = found["more_rounds"]
        assert found["winner"] == "s2.default"
        assert more["s2.default"] > more["s5.default"]
        assert f"is open: {more['s2.default']} for s2.default, {more['s5.default']} for s5" in found["detail"]

    def test_by_the_rule(self) -> None:
        """They are the fewest at which the gain as observed is found with a chance of 80 %."""
        logs = [0.0, 0.06, 0.02, -0.02]
        found, _ = judged(row_of("none.default", [1.0] * 4), row_of("s2.default", np.exp(logs).tolist()))

        def enough(rounds: int) -> bool:
            limit = stdtrit(rounds - 1, 0.975) + ndtri(0.8)
            return bool(limit * np.std(logs, ddof=1) / rounds**0.5 <= np.mean(logs))

        assert found["more_rounds"]["s2.default"] == next(n for n in range(5, 999) if enough(n)) - 4

    def test_the_wider_the_more(self) -> None:
        """Twice the spread asks for about four times the rounds."""
        narrow, wide = (
            judged(baseline(), row("s2.default", 100, share=share))[0]["more_rounds"]["s2.default"]
            for share in (0.02, 0.04)
        )

        assert wide == pytest.approx(4 * narrow, rel=0.2)

    def test_none_for_two_cpu_servers(self) -> None:
        """No number of rounds shows a difference that two of them have by themselves."""
        found, verdicts = judged(baseline(), row("s2.default", 106, share=0.05, resolution=0.10))

        assert verdicts["s2.default"] == "unclear"
        assert found["more_rounds"] == {}

    def test_of_what_beats_its_own_baseline_among_others_alone(self) -> None:
        """Step by step it is faster; held against the largest of all it is not, so it is open."""
        clear = [row(f"s{steps}.default", 150 + steps, share=0.02, shift=steps % 2) for steps in range(3, 10)]
        first, other = row_of("none.default", around(100, 0.02)), row_of("none.ring", around(50))

        found, verdicts = judged(first, row("s2.default", 104, share=0.02, shift=2), *clear, other)

        assert verdicts["s2.default"] == "faster"
        assert found["more_rounds"]["s2.default"] > 0

    def test_none_for_what_is_not_worthwhile(self) -> None:
        """A variant known to within 1 % of its baseline needs no more, though it is neither."""
        found, verdicts = judged(baseline(), row("s2.default", 100.01))

        assert verdicts["s2.default"] == "unclear"
        assert found["more_rounds"] == {}

    def test_a_tie_that_costs(self) -> None:
        """The winner by fewer steps says how many rounds would show that it is the slower one."""
        found, _ = judged(
            baseline(), row("s2.default", 146, share=0.03), row("s3.default", 150, share=0.03, shift=2)
        )

        assert found["winner"] == "s2.default"
        assert list(found["more_rounds"]) == ["s2.default"]


class TestNcclVariants:
    """Tests of NCCL variants that are another by another name."""

    def test_are_not_ranked(self) -> None:
        """The fastest row is noise if NCCL did the same in it; what is broken stays broken."""
        rows = [
            *(baseline(100), baseline(130, nccl="ll"), baseline(90, nccl="simple")),
            *(row("s2.default", 110), row("s2.ll", 140), row("s2.simple", 80)),
        ]
        rows += [row("s3.ll", 120, accept_length=1.0)]
        for each, columns in zip(rows, speedup_columns(rows), strict=True):
            each.update({name: value for name, value in columns.items() if each[name] is None})
        same = {"status": "seen", "detail": None, "without_effect": True}
        other = same | {"without_effect": False}
        nccl = {"reference": "default", "variants": {"default": other, "ll": same, "simple": other}}

        found = judge(pl.DataFrame(rows, SUMMARY), nccl=nccl)

        verdicts = {entry["variant"]: entry["verdict"] for entry in found["rows"]}
        assert verdicts["none.ll"] == verdicts["s2.ll"] == "without effect"
        assert verdicts["s3.ll"] == "broken"
        assert found["winner"] == "s2.default"
        assert "Not ranked, since NCCL did the same in them as in others: none.ll, s2.ll." in found["detail"]
        reasons = next(entry["reasons"] for entry in found["rows"] if entry["variant"] == "s2.ll")
        assert reasons[0].startswith(
            "NCCL did the same as under default: the same algorithm, protocol, channels"
        )
