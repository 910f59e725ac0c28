"""Plants a fault in figures that agree, and asks which rules find something."""

from sweetspot.analyse.audit import audit
from tests.analyse.audit import programs, shapes

SHAPES = shapes.SHAPES | programs.SHAPES


def planted(shape: str, old: str, new: str) -> str:
    """Return the *shape*, in which nothing is found, with *new* where *old* stood first."""
    assert old in SHAPES[shape]
    return SHAPES[shape].replace(old, new, 1)


def rules_of(text: str) -> set[str]:
    """Return the rules that find something in *text*."""
    return {finding.rule for finding in audit(text, "x").findings}
