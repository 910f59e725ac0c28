"""Tests of `sweetspot.plan.capture`: which layers an id means, by target and version."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sweetspot.plan.capture import DEEPSEEK, KNOWN, captured, ids_for
from sweetspot.plan.versions import Version

KIMI, LLAMA, GPT_OSS = "KimiK25ForConditionalGeneration", "LlamaForCausalLM", "GptOssForCausalLM"
MINIMAX = "MiniMaxM3SparseForConditionalGeneration"
OLD: Version = (0, 5, 12)
NEW: Version = (0, 5, 13)
VERSIONS: list[Version] = [(0, 5, 10), OLD, NEW, (0, 5, 16), (0, 5, 17), (0, 5, 23)]

CASES = [
    (KIMI, [2, 30, 58], OLD, (3, 31, 59)),
    (KIMI, [2, 30, 58], NEW, (2, 30, 58)),
    (KIMI, [1, 29, 57], OLD, (2, 30, 58)),
    (KIMI, [1, 29, 57], NEW, (2, 30, 58)),
    (KIMI, None, OLD, (2, 30, 58)),
    (KIMI, None, NEW, (2, 30, 58)),
    (KIMI, [-1, 29, 57], OLD, (0, 30, 58)),  # the embedding
    (KIMI, [-1, 29, 57], NEW, (29, 57)),  # no layer has this number
    (LLAMA, [2, 30, 58], OLD, (3, 31, 59)),
    (LLAMA, [2, 30, 58], NEW, (3, 31, 59)),
    (LLAMA, [58, 2, 30], NEW, (3, 31, 59)),  # the target passes its layers in order
    (LLAMA, [2, 30, 60], NEW, (3, 31)),  # the last output is not handed out
    (GPT_OSS, [24, 30, 61], (0, 5, 16), (25, 31)),
    (GPT_OSS, [24, 30, 61], (0, 5, 17), (24, 30, 61)),
    (GPT_OSS, [24, 30, 60], (0, 5, 17), (25, 31, 61)),
    (MINIMAX, None, (0, 5, 17), (2, 30, 58)),
    (MINIMAX, None, (0, 5, 18), (3, 31, 59)),
]


@pytest.mark.parametrize(("target", "ids", "at", "layers"), CASES)
def test_layers_by_ids(target: str, ids: list[int] | None, at: Version, layers: tuple[int, ...]) -> None:
    """Each rule of each version, for 61 layers."""
    assert captured(target, 61, ids, at) == layers


@given(
    target=st.sampled_from(sorted(KNOWN)),
    at=st.sampled_from(VERSIONS),
    wanted=st.sets(st.integers(0, 60), min_size=1, max_size=4),
)
def test_ids_can_be_found_for_any_layers(target: str, at: Version, wanted: set[int]) -> None:
    """Whatever layers are meant, the ids that are proposed capture them and no other."""
    assume(not (target in DEEPSEEK and at >= NEW and wanted == {1}))
    layers = tuple(sorted(wanted))

    ids = ids_for(target, 61, layers, at)

    assert ids is not None
    assert captured(target, 61, ids, at) == layers


def test_ids_for_the_first_input_are_not_taken_for_an_output() -> None:
    """Listed in order, [1, 30, 58] would capture 2, 31 and 59."""
    assert captured(KIMI, 61, [1, 30, 58], NEW) == (2, 31, 59)
    assert ids_for(KIMI, 61, (1, 30, 58), NEW) == [58, 30, 1]


def test_the_first_input_alone_has_no_ids() -> None:
    """It can't be listed behind another, and alone it is taken for an output."""
    assert captured(KIMI, 61, [1], NEW) == (2,)
    assert ids_for(KIMI, 61, (1,), NEW) is None
    assert ids_for(KIMI, 61, (1,), OLD) == [0]


def test_no_ids_for_a_layer_that_is_not_there() -> None:
    """A target of 61 layers has no input 61."""
    assert ids_for(KIMI, 61, (3, 31, 61), NEW) is None
