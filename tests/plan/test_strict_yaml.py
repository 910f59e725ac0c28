"""Tests of `sweetspot.plan.strict_yaml`: what it refuses, since another reader would take it otherwise."""

import re

import pytest

from sweetspot.errors import StudyError
from sweetspot.plan.strict_yaml import read


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("-12", -12), ("0x1F", 31), ("1.5", 1.5), (".5", 0.5), ("1.0e+3", 1000.0), ("'010'", "010")],
)
def test_a_plain_number_is_read(text: str, value: object) -> None:
    """Whatever has one meaning has it here, and quoted text is text."""
    assert read(f"key: {text}", "x.yaml") == {"key": value}


@pytest.mark.parametrize("text", ["010", "1:30", "1:30.5", "1_000", "1_0.5", "0b11", "9" * 5000, "!!int foo"])
def test_a_number_with_two_meanings_is_refused(text: str) -> None:
    """YAML 1.1 reads 010 as 8 and 1:30 as 90, which nobody meant who writes a study."""
    shown = text.removeprefix("!!int ")[:40]

    with pytest.raises(
        StudyError, match=rf"^x\.yaml, line 1, column 6: the number {re.escape(shown)}, which"
    ):
        read(f"key: {text}", "x.yaml")


@pytest.mark.parametrize("escape", [r"\0", r"\ud800", r"\udc80"])
def test_text_that_no_file_and_no_process_can_have_is_refused(escape: str) -> None:
    """It would end in a traceback where the plan is written or the server is started."""
    with pytest.raises(StudyError, match=r"^x\.yaml, line 1, column 6: text with a NUL or half a surrogate"):
        read(f'key: "a{escape}b"', "x.yaml")


@pytest.mark.parametrize("text", ["2020-13-45", "!!bool foo", "!!float foo", "!!binary x", "!!python/none x"])
def test_what_yaml_can_not_make_is_refused_where_it_stands(text: str) -> None:
    """One line with its place, whichever exception the library meets."""
    with pytest.raises(
        StudyError, match=r"^x\.yaml, line 1, column 6: [^\n]+, expected YAML; correct it there"
    ):
        read(f"key: {text}", "x.yaml")


def test_a_bottomless_document_is_refused() -> None:
    """It ends in a line, not in the interpreter's limit."""
    with pytest.raises(StudyError, match=r"^x\.yaml: nested without end"):
        read("{a: " * 3000 + "1" + "}" * 3000, "x.yaml")
