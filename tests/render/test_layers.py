"""Tests of `sweetspot.render.layers`."""

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from sweetspot.render.layers import draw_layers, save_layers

ROWS: list[dict[str, Any]] = [
    {"case": "right", "captured": [3, 5, 6], "accept_length": 2.7, "by_position": [0.8, 0.6, 0.4]},
    {"case": "wrong", "captured": [2, 4, 5], "accept_length": 1.2, "by_position": [0.2, 0.0, 0.0]},
]


def test_a_line_for_each_case_with_units() -> None:
    """Each line says which layers were captured and what accept_length came of it."""
    axes = Figure().subplots()

    draw_layers(axes, ROWS)

    assert [line.get_label() for line in axes.lines] == [
        "right: layers 3, 5, 6, accept_length 2.70",
        "wrong: layers 2, 4, 5, accept_length 1.20",
    ]
    assert [list(line.get_ydata()) for line in axes.lines] == [row["by_position"] for row in ROWS]
    assert axes.get_ylabel() == "accepted [share of cycles]"


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    """Nothing in the file tells when it was drawn."""
    for name in ("a.svg", "b.svg"):
        save_layers(ROWS, tmp_path / name)

    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
