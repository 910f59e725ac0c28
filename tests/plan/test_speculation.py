"""Tests of `sweetspot.plan.speculation`."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweetspot.errors import StudyError
from sweetspot.plan.speculation import BASELINE, Speculation, chain


class TestId:
    """Tests of `Speculation.id`."""

    @pytest.mark.parametrize(
        ("speculation", "name"),
        [
            (BASELINE, "none"),
            (chain(2), "s2"),
            (Speculation(3, 4, 8), "s3k4d8"),
            (Speculation(2, 1, 8), "s2k1d8"),
        ],
    )
    def test_worked_examples(self, speculation: Speculation, name: str) -> None:
        """Only what SGLang runs as a chain is named like one."""
        assert speculation.id == name


class TestCanonical:
    """Tests of `Speculation.canonical`."""

    @pytest.mark.parametrize("num_draft_tokens", [2, 3, 4, 8])
    def test_one_branch_is_a_chain(self, num_draft_tokens: int) -> None:
        """With one branch SGLang verifies num_steps + 1 tokens, whatever was asked for."""
        assert Speculation(2, 1, num_draft_tokens).canonical() == Speculation(2, 1, 3)

    def test_a_tree_stays(self) -> None:
        """With more branches all three numbers count."""
        assert Speculation(3, 4, 8).canonical() == Speculation(3, 4, 8)


class TestCheck:
    """Tests of `Speculation.check`."""

    def test_worked_example(self) -> None:
        """Two steps with three branches offer 3 + 3 * 3 nodes, so 13 tokens with the root."""
        Speculation(2, 3, 13).check("x")

        with pytest.raises(StudyError) as error:
            Speculation(2, 3, 14).check("study a: s2k3d14")

        line = (
            "study a: s2k3d14: num_draft_tokens 14, expected 2 to 13, the nodes of 2 steps with 3 branches; "
            "change it in speculation.trees"
        )
        assert str(error.value) == line

    @given(st.integers(1, 6), st.integers(2, 6), st.integers(2, 300))
    def test_refuses_what_has_too_few_nodes(self, num_steps: int, topk: int, num_draft_tokens: int) -> None:
        """Nodes counted one step after the other, as the draft makes them."""
        nodes = topk + sum(topk * topk for _ in range(num_steps - 1))
        try:
            Speculation(num_steps, topk, num_draft_tokens).check("x")
            legal = True
        except StudyError:
            legal = False

        assert legal == (num_draft_tokens - 1 <= nodes)
