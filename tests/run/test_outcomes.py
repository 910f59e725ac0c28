"""Tests of `sweetspot.run.outcomes`: when a launch is not started in one more round."""

import json
from pathlib import Path

import pytest

from sweetspot.run.outcomes import hopeless


def rounds(folder: Path, *outcomes: str, attempt: int = 0) -> Path:
    """Write a launch's outcomes, each a failure's kind or nothing; return where the next record lies."""
    for number, kind in enumerate(outcomes):
        failure = {"kind": kind, "message": f"round {number} {kind}", "last_words": []} if kind else None
        status = "failed" if kind else "complete"
        (folder / str(number)).mkdir()
        text = json.dumps({"attempt": attempt, "status": status, "failure": failure})
        (folder / str(number) / "outcome.json").write_text(text)
    return folder / str(len(outcomes)) / "record.json"


class TestHopeless:
    """Tests of `hopeless`."""

    def test_after_two_failures(self, tmp_path: Path) -> None:
        """The third round is given up with the first one's reason."""
        error = hopeless(rounds(tmp_path, "stalled", "died"), 0)

        assert error is not None
        assert error.kind == "given_up"
        assert str(error) == (
            "not started: 2 rounds failed and none completed, expected one that can; mend what the first "
            "says (round 0 stalled), and start again"
        )

    @pytest.mark.parametrize(
        "outcomes", [(), ("died",), ("died", "", "died"), ("died", "given_up", "given_up")]
    )
    def test_as_long_as_there_is_hope(self, tmp_path: Path, outcomes: tuple[str, ...]) -> None:
        """One failure may be chance, one success shows that it can, and what was given up is no trial."""
        assert hopeless(rounds(tmp_path, *outcomes), 0) is None

    def test_failures_of_an_earlier_start(self, tmp_path: Path) -> None:
        """The next start tries again, however often it failed before."""
        assert hopeless(rounds(tmp_path, "died", "died", "died"), 1) is None

    def test_its_own_failure_before(self, tmp_path: Path) -> None:
        """What is to be replaced does not count."""
        rounds(tmp_path, "died", "died")

        assert hopeless(tmp_path / "1" / "record.json", 0) is None

    def test_an_outcome_that_is_cut_short(self, tmp_path: Path) -> None:
        """It tells nothing."""
        record = rounds(tmp_path, "died", "died", "died")
        (tmp_path / "0" / "outcome.json").write_text("{")

        assert hopeless(record, 0) is not None
