"""Tests of `sweetspot.models.pair.vocabulary`: the maps between the draft's tokens and the target's."""

import re
from pathlib import Path
from typing import Any

import pytest

from sweetspot.errors import ModelError
from sweetspot.models.pair.vocabulary import check_vocabulary
from tests.models.pair.made import DRAFTED, SAID, VOCAB, draft, kimi

SHIFTS = [target - token for token, target in enumerate(SAID)]


def test_maps_that_agree(tmp_path: Path) -> None:
    """64 tokens, each known by both maps."""
    assert check_vocabulary(kimi(tmp_path / "target"), draft(tmp_path / "draft")) == "64 of 163840 tokens"


def test_the_whole_vocabulary_needs_no_map(tmp_path: Path) -> None:
    """A draft that says every token says it under the target's id, with a map of zeros or without one."""
    target = kimi(tmp_path / "target", text_config={"vocab_size": DRAFTED, "hidden_size": 1})
    whole = {"vocab_size": DRAFTED, "t2d": [1] * DRAFTED}

    zeros = draft(tmp_path / "zeros", d2t=[0] * DRAFTED, **whole)
    none = draft(tmp_path / "none", d2t=[], **whole)

    assert check_vocabulary(target, zeros) == "64 of 64 tokens"
    assert check_vocabulary(target, none) == "all 64 tokens, under the target's ids"


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "all zero": ({"d2t": [0] * DRAFTED}, "d2t all zero, expected the ids of 64 chosen tokens of 163840"),
    "missing": ({"d2t": []}, "no d2t, expected one for 64 of 163840 tokens"),
    "too short": ({"d2t": SHIFTS[:-1]}, "d2t I64 [63], expected I64 [64]"),
    "out of range": ({"d2t": [*SHIFTS[:-1], VOCAB]}, "d2t leads to token 163903, expected 0 to 163839"),
    "below 0": ({"d2t": [-1, *SHIFTS[1:]]}, "d2t leads to token -1, expected 0 to 163839"),
    "two for one": (
        {"d2t": [token // 2 - token for token in range(DRAFTED)]},
        "leads to 32 tokens, expected 64",
    ),
    "t2d of zeros": (
        {"t2d": [0] * VOCAB},
        "t2d marks 0 tokens of which d2t leads to 0, expected the same 64",
    ),
    "t2d of another draft": ({"t2d": [1] * VOCAB}, "t2d marks 163840 tokens of which d2t leads to 64"),
    "t2d too short": ({"t2d": [1] * DRAFTED}, "t2d BOOL [64], expected BOOL [163840]"),
    "more than there are": (
        {"draft_vocab_size": VOCAB + 1},
        "draft_vocab_size 163841, expected at most 163840",
    ),
}


@pytest.mark.parametrize(("fault", "line"), FAULTS.values(), ids=FAULTS.keys())
def test_a_damaged_map(tmp_path: Path, fault: dict[str, Any], line: str) -> None:
    """Each way in which a map can be wrong is named."""
    made = draft(tmp_path / "draft", **fault)

    with pytest.raises(ModelError, match=re.escape(line)):
        check_vocabulary(kimi(tmp_path / "target"), made)
