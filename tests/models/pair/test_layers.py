"""Tests of `sweetspot.models.pair.layers`: what is captured against what was trained."""

import re
from pathlib import Path

import pytest

from sweetspot.errors import ModelError
from sweetspot.models.pair.layers import check_layers
from sweetspot.plan.versions import sglang_version
from tests.models.pair.made import LLAMA, draft, kimi, write

TRAINED = [3, 31, 59]


def check(tmp_path: Path, ids: list[int] | None, sglang: str, trained_on: list[int] | None) -> str:
    """Return what is said of a draft for Kimi-K2.5 with these ids; an empty list is no list."""
    config = {} if ids else {"eagle_config": None}
    made = draft(tmp_path / "draft", ids=ids or None, **config)
    return check_layers(kimi(tmp_path / "target"), made, trained_on, sglang, sglang_version(sglang))


@pytest.mark.parametrize(("ids", "sglang"), [([2, 30, 58], "0.5.10.post1"), ([3, 31, 59], "0.5.16")])
def test_as_it_was_trained(tmp_path: Path, ids: list[int], sglang: str) -> None:
    """The same three layers, under the ids that each version understands."""
    said = check(tmp_path, ids, sglang, TRAINED)

    assert said == "captures the inputs of layers 3, 31, 59, on which the draft was trained"


REFUSED = {
    "moved from 0.5.10 to 0.5.16": (
        ([2, 30, 58], "0.5.16", TRAINED),
        "eagle_aux_hidden_state_layer_ids [2, 30, 58], by which SGLang 0.5.16 captures the inputs of layers "
        "2, 30, 58, expected 3, 31, 59, on which it was trained; set them to [3, 31, 59] in its eagle_config"
        ", since what they mean to this target changed with 0.5.13",
    ),
    "moved back": (
        ([3, 31, 59], "0.5.10.post1", TRAINED),
        "4, 32, 60, expected 3, 31, 59, on which it was trained; set them to [2, 30, 58] in its eagle_config"
        ", since up to 0.5.12 this target takes them for the layers whose output is meant",
    ),
    "the embedding in the place of a layer": (
        ([-1, 30, 58], "0.5.12", TRAINED),
        "captures the inputs of layers 0, 31, 59, expected 3, 31, 59, on which it was trained; set them to "
        "[2, 30, 58] in its eagle_config",
    ),
    "the embedding, and nobody says what was trained": (
        ([-1, 29, 57], "0.5.12", None),
        "captures the inputs of layers 0, 30, 58, expected no 0, the embedding, on which drafts are not "
        "trained; list the ids of its training, or write [0, 30, 58] into models.draft.trained_on if it was",
    ),
    "an id that is no layer any more": (
        ([-1, 29, 57], "0.5.16", None),
        "captures the inputs of layers 29, 57, expected 3 layers from 0 to 60; correct the ids",
    ),
    "ids with two meanings, and nobody says which": (
        ([2, 30, 58], "0.5.16", None),
        "(3, 31, 59 up to 0.5.12, 2, 30, 58 from 0.5.13 on), expected to know which of them it was trained "
        "on; write that into models.draft.trained_on",
    ),
    "no ids": (
        ([], "0.5.16", TRAINED),
        "layer_ids none, by which SGLang 0.5.16 captures the inputs of layers 2, 30, 58, expected 3, 31, 59",
    ),
    "trained on a layer that is not there": (
        ([2, 30, 58], "0.5.16", [3, 31, 61]),
        "correct models.draft.trained_on, which names layers that this target does not have",
    ),
    "an SGLang without the hooks": (
        ([2, 30, 58], "0.5.9", TRAINED),
        "KimiK25ForConditionalGeneration: SGLang 0.5.9 can't capture its hidden states, expected 0.5.10 or "
        "newer; take a newer engine",
    ),
}


@pytest.mark.parametrize(("asked", "line"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_with_the_fix(
    tmp_path: Path, asked: tuple[list[int], str, list[int] | None], line: str
) -> None:
    """Every way to hand the draft the wrong states is one line that says what to list."""
    with pytest.raises(ModelError, match=re.escape(line)):
        check(tmp_path, *asked)


@pytest.mark.parametrize("sglang", ["0.5.10.post1", "0.5.12", "0.5.13", "0.5.23"])
@pytest.mark.parametrize("ids", [[1, 29, 57], []])
def test_ids_that_never_changed_their_meaning(tmp_path: Path, ids: list[int], sglang: str) -> None:
    """Nobody has to say anything where every version does the same."""
    said = check(tmp_path, ids, sglang, None)

    assert said == ("captures the inputs of layers 2, 30, 58; nothing says on which the draft was trained")


def test_a_config_of_vllms_form_says_what_was_trained(tmp_path: Path) -> None:
    """SGLang does not read its ids, which are inputs there: its own choice has to be the same layers."""
    target = kimi(tmp_path / "target")
    config = {"eagle_config": None, "eagle_aux_hidden_state_layer_ids": [2, 30, 59]}

    with pytest.raises(
        ModelError, match=r"captures the inputs of layers 2, 30, 58, expected 2, 30, 59, on which"
    ):
        check_layers(target, draft(tmp_path / "draft", **config), None, "0.5.16", (0, 5, 16))


def test_a_target_that_is_not_known(tmp_path: Path) -> None:
    """Nothing is claimed about it."""
    target = write(tmp_path / "target", LLAMA | {"architectures": ["NewForCausalLM"]}, {})

    said = check_layers(target, draft(tmp_path / "draft"), None, "0.5.23", (0, 5, 23))

    assert said == "NewForCausalLM: unknown here, so the layers that SGLang captures were not computed"
