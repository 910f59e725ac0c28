"""Tests of `sweetspot/models/spec.py`."""

import pytest

from sweetspot.errors import ModelError
from sweetspot.models.orbit import lay_out
from sweetspot.models.spec import SHAPES, Spec, spec


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
