import pytest

from tests.analyse.audit.planting import planted, rules_of


@pytest.mark.parametrize(
    ("shape", "old", "new"),
    [
        ("llama.cpp", "12.50", "15.50"),
        ("llama.cpp", "80.00", "60.00"),
        ("llama.cpp", "0.80000", "0.88000"),
        ("llama.cpp", "rate=0.800", "rate=0.700"),
        ("llama.cpp", "8.000 t/s", "9.000 t/s"),
        ("llama.cpp", "40.000%", "44.000%"),
    ],
)
def test_printed(shape: str, old: str, new: str) -> None:
    """A quotient that is printed beside its terms follows from them."""
    text = planted(shape, old, new)

    assert rules_of(text) == {"counts"}
