"""The bug that began the published campaign, on the real engine: a draft that is handed the wrong layers.

It serves in every case, and says what the target says; only its acceptance tells. The preflight refuses both
wrong cases before a load; where nobody knows what the draft was trained on, the gate before the sweep does.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from sweetspot.analyse.faults import DEAD_DRAFT
from sweetspot.analyse.smoke import judge_smoke
from sweetspot.errors import ModelError
from sweetspot.models.pair import checkpoint
from sweetspot.models.pair.layers import check_layers
from tests.engine.layers import IDS, PAIR, ROOT, VERSION, list_ids, measure_all, row
from tests.engines import cpu_python

pytestmark = pytest.mark.engine

RIGHT, SHIFTED, EMBEDDING = IDS
BAND = [2.5, 3.0]  # around what the pair was made for


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the pair and its records are."""
    cpu_python()
    return tmp_path_factory.mktemp("layers")


@pytest.fixture(scope="module")
def records(place: Path) -> dict[str, dict[str, Any]]:
    """The record of the short run under each kind of ids."""
    return measure_all(place)


def test_the_shift_costs_acceptance_and_the_embedding_more(records: dict[str, dict[str, Any]]) -> None:
    """Shifted by one layer the draft is worse and alive, which no check of a dead draft finds."""
    length = {case: judge_smoke(record, None)["accept_length"] for case, record in records.items()}

    assert length[RIGHT] > BAND[0]
    assert DEAD_DRAFT < length[SHIFTED] < length[RIGHT] - 0.3
    assert length[EMBEDDING] < length[SHIFTED] - 0.3


def test_the_answers_are_the_same(records: dict[str, dict[str, Any]]) -> None:
    """Whatever the draft is handed, the target says what it says: text does not show the bug."""
    answers = [
        [request["output"] for request in record["passes"][0]["requests"]] for record in records.values()
    ]

    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize("case", [SHIFTED, EMBEDDING])
def test_the_gate_stops_it(records: dict[str, dict[str, Any]], case: str) -> None:
    """Given what the draft should reach, neither wrong case starts a sweep."""
    assert judge_smoke(records[RIGHT], BAND)["accept_length"] > BAND[0]
    with pytest.raises(ModelError, match=r"expected 2\.5 to 3 by smoke\.accept_length; most likely"):
        judge_smoke(records[case], BAND)


@pytest.mark.parametrize(
    ("case", "captured"), [(SHIFTED, "2, 4, 5"), (EMBEDDING, "0, 5, 6")], ids=[SHIFTED, EMBEDDING]
)
def test_the_preflight_stops_it(
    place: Path, records: dict[str, dict[str, Any]], case: str, captured: str
) -> None:
    """It reads the pair that was served, and names the ids that were right."""
    list_ids(place / "pair", IDS[case])
    target, draft = (checkpoint.read(place / "pair" / role) for role in ("target", "draft"))

    with pytest.raises(
        ModelError, match=rf"inputs of layers {captured}, expected 3, 5, 6, .* set them to \[2, 4, 5\]"
    ):
        check_layers(target, draft, PAIR["layers"], "0.5.23", VERSION)


def test_the_figure_shows_these_numbers(records: dict[str, dict[str, Any]]) -> None:
    """What docs/figures/layers.svg is drawn from is what this engine gives, the arithmetic of CPUs apart."""
    recorded = json.loads((ROOT / "docs" / "figures" / "layers.json").read_text())

    measured = [row(case, record) for case, record in records.items()]

    assert [entry["captured"] for entry in recorded] == [entry["captured"] for entry in measured]
    for entry, found in zip(recorded, measured, strict=True):
        assert found["accept_length"] == pytest.approx(entry["accept_length"], abs=0.05)
        assert found["by_position"] == pytest.approx(entry["by_position"], abs=0.05)
