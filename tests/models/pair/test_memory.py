"""Tests of `sweetspot.models.pair.memory`: bytes by hand, and the GPUs that are too small."""

from pathlib import Path

import pytest

from sweetspot.errors import ModelError
from sweetspot.models.pair.memory import GIB, check_memory, needed
from tests.models.pair.made import LLAMA, draft, kimi, write


def test_kimi_on_eight_ranks(tmp_path: Path) -> None:
    """Weights are shared out; each rank keeps the whole latent, and its part of the draft's heads."""
    target, made = kimi(tmp_path / "target"), draft(tmp_path / "draft")

    uses = needed(target, made, tp_size=8, tokens=1000)

    assert uses["weights"] == pytest.approx((target.weight_bytes + made.weight_bytes) / 8, abs=1)
    assert uses["cache"] == 1000 * (61 * (512 + 64) * 2 + 2 * 8 * 128 * 2)


def test_a_pair_of_heads_is_on_every_rank_where_there_are_more_ranks(tmp_path: Path) -> None:
    """Two key-value heads on four ranks: each rank has one of them, of 16 numbers, in both models."""
    target = write(tmp_path / "target", LLAMA, {})
    made = write(tmp_path / "draft", LLAMA | {"num_hidden_layers": 1}, {})

    assert needed(target, made, tp_size=4, tokens=10)["cache"] == 10 * (8 + 1) * 2 * 1 * 16 * 2


def test_gpus_that_suffice_and_gpus_that_do_not(tmp_path: Path) -> None:
    """595 GB of weights fit on eight GPUs of 96 GiB and not on eight of 80."""
    uses = needed(kimi(tmp_path / "target"), draft(tmp_path / "draft"), tp_size=8, tokens=16 * 2048)

    said = check_memory(uses, [{"memory_mib": 96 * 1024}] * 8, 8)

    assert said.startswith("about 77.") and "of 96.0 GiB a GPU (weights 69." in said
    with pytest.raises(ModelError, match=r"^memory: about 77\.\d GiB a GPU .* expected at most 72\.0, the "):
        check_memory(uses, [{"memory_mib": 96 * 1024}, {"memory_mib": 72 * 1024}] * 4, 8)


def test_a_fraction_that_is_too_small(tmp_path: Path) -> None:
    """Weights of 70 GiB fit on a GPU of 80, but not into 85 % of it."""
    uses = needed(kimi(tmp_path / "target"), draft(tmp_path / "draft"), tp_size=8, tokens=5000)

    assert check_memory(uses, [{"memory_mib": 80 * 1024}] * 8, 8, 0.9).startswith("about 7")
    with pytest.raises(
        ModelError, match=r"^mem-fraction-static: 0.85, expected 0.88 or more for weights and"
    ):
        check_memory(uses, [{"memory_mib": 80 * 1024}] * 8, 8, 0.85)


def test_gpus_that_are_not_there_or_not_known() -> None:
    """The estimate is said, and nothing is refused."""
    for gpus in ([], [{"memory_mib": None}]):
        assert check_memory({"weights": GIB}, gpus, 1) == (
            "about 1.0 GiB a GPU (weights 1.0), with no GPU here to compare"
        )
