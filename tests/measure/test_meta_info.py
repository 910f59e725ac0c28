from typing import Any

import pytest

from sweetspot.errors import MeasureError
from sweetspot.measure.meta_info import read_counts

# The same request, as each range of versions tells of it: 4 cycles at 2 steps accepted 0, 1, 2 and 2 drafts.
OLD = {"spec_accept_token_num": 5, "spec_draft_token_num": 8, "spec_accept_histogram": [1, 1, 2]}
MIDDLE = {"spec_accepted_drafts": 5, "spec_proposed_drafts": 8, "spec_accept_histogram": [1, 1, 2]}
NEW = {
    "spec_num_correct_drafts": 5,
    "spec_num_proposed_drafts": 8,
    "spec_correct_drafts_histogram": [1, 1, 2],
}
RATIOS = {"spec_accept_length": 2.5, "spec_accept_rate": 0.625, "spec_cap_length": 3.0}


class TestReadCounts:
    """Tests of `read_counts`."""

    @pytest.mark.parametrize(
        "names", [OLD, MIDDLE, NEW, MIDDLE | NEW], ids=["0.5.9", "0.5.11", "0.5.23", "0.5.20"]
    )
    def test_every_version(self, names: dict[str, Any]) -> None:
        """All versions' names say the same, also where old ones stand beside new ones."""
        counts = read_counts({"spec_verify_ct": 4} | names | RATIOS, "s2.default")

        assert counts is not None
        assert counts.verify_ct == 4
        assert counts.histogram is not None
        assert counts.histogram.tolist() == [1, 1, 2]
        assert (counts.correct_drafts, counts.proposed_drafts) == (5, 8)

    @pytest.mark.parametrize("names", [OLD, MIDDLE, NEW])
    def test_accepted_drafts_without_histogram(self, names: dict[str, Any]) -> None:
        """Each version's own count of accepted drafts is read."""
        meta = {name: value for name, value in names.items() if not name.endswith("histogram")}

        counts = read_counts(meta | {"spec_verify_ct": 4}, "s2.default")

        assert counts is not None
        assert (counts.correct_drafts, counts.histogram) == (5, None)

    @pytest.mark.parametrize("meta", [{}, {"e2e_latency": 1.5}, {"spec_cap_length": 3.0}])
    def test_baseline(self, meta: dict[str, Any]) -> None:
        """A server without speculation counts nothing; a name that is not known is not a count."""
        assert read_counts(meta, "none.default") is None

    def test_without_histogram(self) -> None:
        """What a version does not give is None, not 0."""
        counts = read_counts({"spec_verify_ct": 4}, "s2.default")

        assert counts is not None
        assert counts.histogram is counts.correct_drafts is counts.proposed_drafts is None

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"spec_verify_ct": 5}, "4 cycles in the histogram, expected spec_verify_ct 5"),
            ({"spec_num_correct_drafts": 6}, "6 accepted drafts, expected the 5 of its histogram"),
            ({"spec_accepted_drafts": 4}, "expected one value under all names"),
            ({"spec_correct_drafts_histogram": [-1, 1, 4]}, "expected counts from 0 up"),
        ],
    )
    def test_contradictions(self, changes: dict[str, Any], message: str) -> None:
        """Counts that can't be true together stop the measurement, and the message says where."""
        with pytest.raises(MeasureError, match=f"^s2.default, prompt p7: .*{message}"):
            read_counts({"spec_verify_ct": 4} | NEW | changes, "s2.default, prompt p7")

    def test_counts_without_cycles(self) -> None:
        """Every version counts cycles; drafts without them are from something unknown."""
        with pytest.raises(MeasureError, match="counts of drafts without spec_verify_ct"):
            read_counts(NEW, "s2.default")
