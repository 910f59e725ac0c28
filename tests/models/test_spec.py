"""Tests of `sweetspot/models/spec.py`."""

import pytest

from sweetspot.errors import ModelError
from sweetspot.models.orbit import lay_out
from sweetspot.models.spec import CONSTRUCTION, SHAPES, Spec, spec, turns


class TestSpec:
    """Tests of `spec`."""

    def test_reads_a_study(self) -> None:
        """The section of a study becomes a spec, whose name holds every part of it."""
        read = spec({"shape": "8b", "acceptance": [0.62, 0.4], "seed": 7})

        assert read == Spec("8b", (0.62, 0.4), 7)
        assert read.name == "8b-0.62-0.4-seed7-construction1"
        assert read.orbit() == lay_out(32000, [0.62, 0.4], 7)

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"shape": "70b"}, "models.constructed.shape: '70b', expected one of tiny, 1b, 8b"),
            ({"acceptance": []}, r"models.constructed.acceptance: \[\], expected shares from 0 to 1"),
            ({"acceptance": [0.5, 1.5]}, r"models.constructed.acceptance: \[0.5, 1.5\], expected shares"),
        ],
    )
    def test_what_is_no_spec_is_refused(self, changed: dict[str, object], message: str) -> None:
        """An unknown shape and an acceptance beyond 0 to 1 are errors that say what is allowed."""
        with pytest.raises(ModelError, match=message):
            spec({"shape": "tiny", "acceptance": [0.75], "seed": 0, **changed})


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_can_be_served(name: str) -> None:
    """Heads divide the width and the key-value heads, two GPUs share both, and EAGLE-3 finds its layers."""
    shape = SHAPES[name]

    assert shape.hidden % shape.heads == 0
    assert shape.heads % shape.kv_heads == 0
    assert shape.kv_heads % 2 == 0
    assert shape.layers >= 6


class TestLayers:
    """Tests of a spec whose draft needs given layers."""

    def test_its_turns_differ_where_it_matters(self) -> None:
        """By hand: a shift by one layer turns by 1, -1 and 1 quarters, the embedding is half a turn away."""
        quarters = turns((3, 5, 6), 8)

        assert quarters == [0, 0, 3, 2, 0, 1, 0, 0, 0]
        assert [(quarters[layer - 1] - quarters[layer]) % 4 for layer in (3, 5, 6)] == [1, 3, 1]
        assert (quarters[0] - quarters[3]) % 4 == 2

    def test_it_is_a_pair_of_its_own(self) -> None:
        """Its folder tells it from the pair without layers, whose name is what it was."""
        plain = {"shape": "tiny", "acceptance": [0.75], "seed": 0}

        assert spec(plain).name == f"tiny-0.75-seed0-construction{CONSTRUCTION}"
        assert spec({**plain, "layers": [3, 5, 6]}).name == (
            f"tiny-0.75-layers3-5-6-seed0-construction{CONSTRUCTION}"
        )

    @pytest.mark.parametrize("layers", [[3, 5], [1, 3, 5], [3, 4, 6], [3, 6, 5], [3, 5, 8]])
    def test_layers_that_can_not_be_told_apart(self, layers: list[int]) -> None:
        """Two that are neighbours, the first ones, or one that is not there."""
        with pytest.raises(
            ModelError, match=r"^layers: \[.*\], expected three, rising, below 8, the first 2 or"
        ):
            spec({"shape": "tiny", "acceptance": [0.75], "seed": 0, "layers": layers})
