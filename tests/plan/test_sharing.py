"""Tests of `sweetspot.plan.sharing`."""

from typing import Any

import pytest

from sweetspot.plan.document import Variant
from sweetspot.plan.sharing import groups, reasons_against


def variant(num_steps: int, topk: int = 1, nccl: str = "default", args_set: str | None = None) -> Variant:
    """Return a variant, a baseline at 0 steps."""
    suffix = nccl if args_set is None else f"{nccl}.{args_set}"
    name = f"s{num_steps}k{topk}" if num_steps else "none"
    topk, tokens = (topk, num_steps + 1) if num_steps else (0, 0)
    return Variant(f"{name}.{suffix}", num_steps, topk, tokens, nccl, args_set, f"none.{suffix}", False)


CHAINS = [variant(0), variant(1), variant(3)]


def test_what_differs_in_more_than_speculation_is_not_grouped() -> None:
    """NCCL variants and sets of arguments are settled when a server starts."""
    variants = [*CHAINS, variant(1, nccl="ring"), variant(1, args_set="fp8")]

    assert [len(group) for group in groups(variants).values()] == [3, 1, 1]


def test_chains_and_their_baseline_share() -> None:
    """From 0.5.16 on, nothing speaks against it."""
    assert reasons_against(CHAINS, {"tp-size": 8}, "0.5.16", "auto") == {}


@pytest.mark.parametrize(
    ("args", "sglang", "asked", "reason"),
    [
        ({}, "0.5.16", "dedicated", "the study asks for dedicated launches"),
        ({}, "0.5.15.post2", "auto", "SGLang 0.5.15.post2 can't be switched to the baseline, 0.5.16 is"),
        ({"enable-dp-attention": True}, "0.5.23", "auto", "with enable-dp-attention SGLang does not switch"),
        ({"enable-pdmux": True}, "0.5.23", "auto", "with enable-pdmux SGLang does not switch"),
        ({"enable-two-batch-overlap": True}, "0.5.23", "auto", "with enable-two-batch-overlap SGLang"),
        ({"pp-size": 2}, "0.5.23", "auto", "with pipeline stages SGLang does not switch"),
    ],
)
def test_what_turns_switching_off_makes_all_dedicated(
    args: dict[str, Any], sglang: str, asked: str, reason: str
) -> None:
    """Every variant says the same reason, so none of them is measured in another way."""
    found = reasons_against(CHAINS, args, sglang, asked)

    assert list(found) == [chain.id for chain in CHAINS]
    assert all(text.startswith(reason) for text in found.values())


def test_a_tree_is_alone() -> None:
    """The chains beside it still share."""
    tree = variant(3, topk=4)

    assert reasons_against([*CHAINS, tree], {}, "0.5.16", "auto") == {
        tree.id: "a tree: SGLang switches between chains alone"
    }


def test_a_cpu_baseline_is_alone() -> None:
    """The chains share, the baseline and its control do not, since they would be slowed down."""
    found = reasons_against(CHAINS, {"device": "cpu"}, "0.5.23", "auto")

    assert list(found) == ["none.default"]
    assert "about 6 %" in found["none.default"]


@pytest.mark.parametrize("variants", [[variant(0), variant(3, topk=4)], [variant(0), variant(0)]])
def test_nobody_shares_with_nobody(variants: list[Variant]) -> None:
    """Of one chain or of baselines alone a shared start has nothing to give."""
    found = reasons_against(variants, {}, "0.5.16", "auto")

    assert found["none.default"] == "no other variant to share a start with"
