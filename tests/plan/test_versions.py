"""Tests of `sweetspot.plan.versions`."""

import pytest

from sweetspot.errors import StudyError
from sweetspot.plan.versions import dotted, sglang_version


class TestSglangVersion:
    """Tests of `sglang_version`."""

    @pytest.mark.parametrize("text", ["0.5.10", "0.5.10.post1", "0.5.10rc0", "0.5.10.dev3+g1a2b"])
    def test_reads_the_first_three_numbers(self, text: str) -> None:
        """A post-release or a checkout obeys the rules of its release."""
        assert sglang_version(text) == (0, 5, 10)

    def test_compares_as_numbers(self) -> None:
        """0.5.9 is older than 0.5.10."""
        assert sglang_version("0.5.9") < sglang_version("0.5.10")

    @pytest.mark.parametrize("text", ["0.5.8", "0.4.10", "main", ""])
    def test_refuses_what_was_not_read(self, text: str) -> None:
        """Of older versions the rules are not known."""
        with pytest.raises(
            StudyError, match=rf"^SGLang: version '{text}', expected 0.5.9 or newer; install a newer"
        ):
            sglang_version(text)


def test_dotted_is_how_one_writes_it() -> None:
    """The numbers of a version come back as its text."""
    assert dotted(sglang_version("0.5.10.post1")) == "0.5.10"
