from pathlib import Path
from typing import Any

import pytest
import yaml

from sweetspot.analyse.reported import COLUMNS, judge_reported, summarise_reported
from sweetspot.analyse.reported_acceptance import reconcile
from sweetspot.analyse.reported_file import read
from sweetspot.analyse.summary_columns import SUMMARY
from sweetspot.errors import RecordError

Row = dict[str, Any]
KIMI = Path(__file__).parents[2] / "results" / "published" / "kimi-k2.5-int4" / "reported.yaml"


@pytest.fixture
def reported() -> Row:
    """The published figures. A test may change them."""
    return read(KIMI)


def rows_of(reported: Row) -> dict[str, Row]:
    """Return the rows of the summary by variant."""
    return {row["variant"]: row for row in summarise_reported(reported).to_dicts()}


def stated(low: float, high: float, bonus: str = "unstated") -> Row:
    """Return an accept length as a source states it."""
    return {"stated": f"{low} to {high}", "low": low, "high": high, "bonus": bonus}


class TestReconcile:
    """Tests of `reconcile`."""

    def test_below_one_can_hold_no_bonus_token(self) -> None:
        """249 tokens in 400 cycles are accepted drafts: 1.6225 with the bonus; 85.1 x 18.82 ms is 1.602."""
        found = reconcile(stated(0.6225, 0.6225), 1, 85.1 * 0.01882)

        assert "speed x cycle time gives 1.602" in found.how
        assert found.value == 1.6225
        assert found.residual == pytest.approx(1.6016 / 1.6225 - 1, abs=1e-4)
        assert "bonus token excluded (the one reading within 1 to 2)" in found.how

    def test_range_that_holds_what_speed_and_cycle_give(self) -> None:
        """94.0 x 19.85 ms is 1.866, in 1.85 to 2.12: taken from the identity, which checks nothing then."""
        found = reconcile(stated(1.85, 2.12), 2, 94.0 * 0.01985)

        assert found.value == pytest.approx(1.8659)
        assert found.residual is None
        assert "bonus token included" in found.how

    def test_range_beside_it(self) -> None:
        """Otherwise its nearer end counts, and the residual says how far off it is."""
        found = reconcile(stated(2.0, 2.12), 2, 1.8)

        assert (found.value, found.residual) == (2.0, pytest.approx(-0.1))

    @pytest.mark.parametrize(("implied", "value"), [(1.32, 1.3), (2.25, 2.3)])
    def test_both_readings_are_possible(self, implied: float, value: float) -> None:
        """Then speed and cycle time decide."""
        found = reconcile(stated(1.3, 1.3), 5, implied)

        assert found.value == value
        assert "nearer to speed x cycle time" in found.how

    def test_what_the_source_says_counts(self) -> None:
        """A stated convention is followed, and shown wrong by the residual if it is."""
        found = reconcile(stated(1.3, 1.3, "included"), 5, 2.3)

        assert (found.value, found.residual) == (1.3, pytest.approx(2.3 / 1.3 - 1))

    def test_nothing_tells(self) -> None:
        """Two readings and no cycle time, or no reading at all, give no number but a reason."""
        ambiguous, impossible = reconcile(stated(1.3, 1.3), 5, None), reconcile(stated(3.4, 3.4), 2, 1.9)

        assert ambiguous.value is impossible.value is None
        assert "nothing tells" in ambiguous.how
        assert "2 steps can't give" in impossible.how

    def test_nothing_stated(self) -> None:
        """Without an accept length, speed and cycle time give one; without a cycle time, nothing does."""
        assert reconcile(None, 2, 1.9).value == 1.9
        assert reconcile(None, 2, None).value is None


class TestSummariseReported:
    """Tests of `summarise_reported`."""

    def test_columns(self, reported: Row) -> None:
        """The frame is a summary with a few columns more."""
        frame = summarise_reported(reported)

        assert dict(frame.schema) == COLUMNS
        assert dict(frame.select(list(SUMMARY)).schema) == SUMMARY
        assert frame["reported"].to_list() == [True] * 5
        assert not any(frame[f"{name}_low"].drop_nulls().len() for name in ("speedup", "decode_tokens_per_s"))

    def test_kimi_by_hand(self, reported: Row) -> None:
        """Quotients, break-evens and reconciled accept lengths, each worked out beside the code."""
        rows = rows_of(reported)

        expected = {  # speedup, break-even, accept_length, residual
            "none.unstated": (1, None, 1, None),
            "s1.ring-ll-sys": (0.9583, 1.6712, 1.6225, -0.0129),
            "s2.ring-ll-sys": (1.0586, 1.7627, 1.8659, None),
            "s5.ring-ll-sys": (0.9764, 2.0140, 1.95, 0.0084),
            "s5.default": (0.8029, None, None, None),
        }
        names = ("speedup", "break_even_accept_length", "accept_length", "identity_residual")
        assert {id_: tuple(row[name] for name in names) for id_, row in rows.items()} == {
            id_: tuple(n if n is None else pytest.approx(n, abs=1e-4) for n in numbers)
            for id_, numbers in expected.items()
        }

    def test_of_several_requests_each_has_its_share(self, reported: Row) -> None:
        """At load 4 the same speed is a quarter for each, and so are the tokens of its cycle."""
        alone = rows_of(reported)["s1.ring-ll-sys"]
        reported["load"] = 4

        shared = rows_of(reported)["s1.ring-ll-sys"]

        assert shared["speedup"] == alone["speedup"]
        assert shared["break_even_accept_length"] == pytest.approx(alone["break_even_accept_length"] / 4)

    def test_phases(self, reported: Row) -> None:
        """Stated ones are as stated; where some are not, the rest of the cycle is `other`."""
        rows = rows_of(reported)

        names = ("draft_s", "verify_s", "extend_s", "other_s")
        assert [rows["s1.ring-ll-sys"][name] for name in names] == pytest.approx(
            [0.00107, 0.01744, 0.00032, 0]
        )
        assert [rows["s2.ring-ll-sys"][name] for name in names] == [
            pytest.approx(0.00089),
            pytest.approx(0.01867),
            None,
            pytest.approx(0.00029),
        ]
        assert [rows["s5.default"][name] for name in names] == [
            None,
            pytest.approx(0.0287),
            None,
            None,
        ]

    def test_what_nobody_stated_is_null(self, reported: Row) -> None:
        """No count of rounds, no latency and no exactness is made up."""
        row = rows_of(reported)["s2.ring-ll-sys"]

        for name in ("rounds", "passes", "exact", "accept_rate", "ttft_p50_s", "prefill_s", "failure"):
            assert row[name] is None


class TestJudgeReported:
    """Tests of `judge_reported`."""

    def test_claims_nothing(self, reported: Row) -> None:
        """Every row is `reported`, there is no winner, and the sentence says why."""
        verdict = judge_reported(summarise_reported(reported))

        assert {row["verdict"] for row in verdict["rows"]} == {"reported"}
        assert (verdict["winner"], verdict["use_baseline"], verdict["tied_with"]) == (None, False, [])
        assert verdict["sentence"] == (
            "Reported, not measured here: of 5 stated speeds s2.ring-ll-sys has the highest, 94 tokens/s, "
            "1.06 times that of none.unstated; without raw records there is no interval, and so no winner."
        )

    def test_reasons(self, reported: Row) -> None:
        """How a number came about is told on its row, also that a cycle is stated in part."""
        reasons = {
            row["variant"]: row["reasons"] for row in judge_reported(summarise_reported(reported))["rows"]
        }

        assert "speed x cycle time gives 1.602" in reasons["s1.ring-ll-sys"][0]
        assert reasons["s2.ring-ll-sys"][1].endswith("part of the 0.29 ms of other")
        assert reasons["s5.default"][1] == "a verify of 28.7 ms is stated, the whole cycle is not"
        assert reasons["none.unstated"] == []

    def test_figures_that_contradict_each_other(self, reported: Row) -> None:
        """A cycle 10 % shorter than it was can't go with the other two numbers."""
        reported["rows"][1]["cycle_ms"] *= 0.9

        reasons = judge_reported(summarise_reported(reported))["rows"][1]["reasons"]

        assert "contradict each other: speed x cycle time is -11.2 % off" in reasons[1]


class TestRead:
    """Tests of `read`."""

    def test_published_file(self, reported: Row) -> None:
        """It holds the five speeds of the source."""
        assert [row["tokens_per_s"] for row in reported["rows"]] == [88.8, 85.1, 94.0, 86.7, 71.3]

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"num_steps": 2}, r"s1\.ring-ll-sys: expected s2\.<one of"),
            ({"variant": "s1.tuned"}, r"expected s1\.<one of default, ring-ll-sys, unstated>"),
            ({"baseline": "s2.ring-ll-sys"}, "baseline s2.ring-ll-sys, expected a row with 0 steps"),
            ({"variant": "none.unstated"}, "a variant twice"),
            ({"tokens_per_s": 0}, r"rows\.1\.tokens_per_s: 0 is less than"),
            ({"cycle_s": 1}, r"rows\.1: .*'cycle_s' was unexpected"),
            ({"accept_length": stated(2.0, 1.8)}, "expected the lower first"),
        ],
    )
    def test_refused(self, reported: Row, tmp_path: Path, change: Row, message: str) -> None:
        """What makes no sense stops with one line that says where."""
        reported["rows"][1] |= change
        path = tmp_path / "reported.yaml"
        path.write_text(yaml.safe_dump(reported))

        with pytest.raises(RecordError, match=message) as found:
            read(path)

        assert "\n" not in str(found.value)

    @pytest.mark.parametrize("text", ["a: [", "- 1", ""])
    def test_not_such_a_file(self, tmp_path: Path, text: str) -> None:
        """Other YAML, and what is none, is refused with its path."""
        path = tmp_path / "reported.yaml"
        path.write_text(text)

        with pytest.raises(RecordError, match=r"reported\.yaml: "):
            read(path)
