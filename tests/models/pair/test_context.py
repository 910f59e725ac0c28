"""Tests of `sweetspot.models.pair.context`: a draft that was made for fewer tokens than are served."""

import re
from pathlib import Path
from typing import Any

import pytest

from sweetspot.errors import ModelError
from sweetspot.models.pair.context import check_context
from sweetspot.plan import Launch
from tests.models.pair.made import KIMI, draft, kimi

DRAFTS = {"speculative-algorithm": "EAGLE3"}
YARN = {"type": "yarn", "factor": 64.0, "original_max_position_embeddings": 4096}


def launch(id_: str, args: dict[str, Any], **env: str) -> Launch:
    """Return a launch with these arguments and variables."""
    return Launch(id_, "dedicated", "", (id_,), {"tp-size": 8, **args}, env)


def said(tmp_path: Path, *launches: Launch, **positions: Any) -> str:  # noqa: ANN401
    """Return what is said of a target made for 262144 tokens and a draft with *positions*."""
    text = KIMI["text_config"] | {"max_position_embeddings": 262144, "rope_scaling": YARN}
    target = kimi(tmp_path / "target", text_config=text)
    return check_context(target, draft(tmp_path / "draft", **positions), launches)


@pytest.mark.parametrize(
    ("args", "positions", "line"),
    [
        ({"context-length": 8192}, {"max_position_embeddings": 2048}, "8192, expected at most 2048"),
        ({}, {"max_position_embeddings": 131072}, "262144 by the target, expected at most 131072"),
        (
            {"context-length": 8193},
            {"max_position_embeddings": 2048, "rope_scaling": {"rope_type": "linear", "factor": 4}},
            "8193, expected at most 8192",
        ),
        ({"context-length": 4097}, {"max_position_embeddings": 4096, "rope_scaling": YARN}, "4097, expected"),
    ],
)
def test_a_draft_for_fewer_tokens(
    tmp_path: Path, args: dict[str, Any], positions: dict[str, Any], line: str
) -> None:
    """SGLang would refuse it once the target is loaded."""
    with pytest.raises(ModelError, match=re.escape(f"s2.default: context-length {line}")) as error:
        said(tmp_path, launch("none.default", args), launch("s2.default", args | DRAFTS), **positions)

    assert f"{tmp_path}/draft/config.json says the draft was made" in str(error.value)


def test_a_target_for_fewer_tokens(tmp_path: Path) -> None:
    """It is refused without a draft, too."""
    with pytest.raises(ModelError, match=r"^none.default: context-length 262145, .* the target was made"):
        said(tmp_path, launch("none.default", {"context-length": 262145}))


def test_what_fits(tmp_path: Path) -> None:
    """The same number is enough, and a baseline's own server loads no draft."""
    made = {"max_position_embeddings": 2048}

    line = said(tmp_path, launch("a", {}), launch("b", {"context-length": 2048} | DRAFTS), **made)

    assert line == "made for 262144 and 2048 tokens, target and draft"


def test_the_user_knows_better(tmp_path: Path) -> None:
    """SGLang's own variable lets a longer context pass."""
    longer = launch("s2", {"context-length": 8192} | DRAFTS, SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN="1")

    assert said(tmp_path, longer, max_position_embeddings=2048).startswith("made for")


def test_a_config_that_does_not_say(tmp_path: Path) -> None:
    """What the model's class decides is not guessed."""
    assert said(tmp_path, launch("s2", DRAFTS)) == "made for 262144 and unknown tokens, target and draft"
