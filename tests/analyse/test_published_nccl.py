"""What the published study of two H200s proves: real probes, bare all-reduces, and servers on two ranks."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from sweetspot.analyse.nccl_files import read_probed
from sweetspot.analyse.nccl_prediction import bare
from sweetspot.analyse.nccl_proof import prove

STUDY = Path(__file__).parents[2] / "results" / "published" / "h200x2-nccl"
VARIANTS = ["default", "ring-ll", "ring-ll128", "ring-simple", "tree", "custom"]
OF_ONE_REQUEST, OF_EIGHT = 32 * 1024, 256 * 1024  # bytes of a verify of 4 tokens


@pytest.fixture(scope="module")
def proof() -> dict[str, Any]:
    """What is proven of the study's variants."""
    return prove(read_probed(STUDY, VARIANTS))


def test_nccl_did_what_each_variant_asks_for(proof: dict[str, Any]) -> None:
    """All but the one under which another all-reduce serves, which the probed server names."""
    found = {name: variant["status"] for name, variant in proof["variants"].items()}

    assert found == dict.fromkeys(VARIANTS, "seen") | {"custom": "not on the path"}
    assert proof["variants"]["custom"]["detail"].endswith("served by SGLang's custom all-reduce")
    assert [name for name in VARIANTS if proof["variants"][name]["without_effect"]] == ["ring-ll"]


def test_what_it_chose_at_verify_size(proof: dict[str, Any]) -> None:
    """By itself a ring with LL; a tree changes its protocol between the two loads."""
    chosen = {(row["nccl"], row["bytes"]): (row["algorithm"], row["protocol"]) for row in proof["messages"]}

    assert chosen["default", OF_ONE_REQUEST] == chosen["default", OF_EIGHT] == ("RING", "LL")
    assert chosen["ring-simple", OF_ONE_REQUEST] == ("RING", "SIMPLE")
    assert chosen["tree", OF_ONE_REQUEST] == ("TREE", "LL")
    assert chosen["tree", OF_EIGHT] == ("TREE", "SIMPLE")


def test_what_it_costs_bare() -> None:
    """The same choice takes as long, and the protocol Simple half as long again."""
    times = {(row["nccl"], row["bytes"]): row["allreduce_s"] for row in bare(read_probed(STUDY, VARIANTS))}
    default = times["default", OF_EIGHT]

    assert times["ring-ll", OF_EIGHT] == pytest.approx(default, rel=0.05)
    assert min(times["ring-simple", OF_EIGHT], times["tree", OF_EIGHT]) > 1.5 * default


@pytest.mark.parametrize("round_", [0, 1, 2])
@pytest.mark.parametrize("variant", VARIANTS)
def test_both_ranks_switched_together(variant: str, round_: int) -> None:
    """Their logs tell of the same switches in one order, and that no rank found multicast to use."""
    with gzip.open(STUDY / "run" / f"oneload.{variant}" / f"{round_}" / "server.log.gz", "rt") as lines:
        said = [line.split("] ", 1) for line in lines if "] switch to " in line or "multimem" in line]
    ranks = {rank: [text for where, text in said if where.endswith(rank)] for rank in ("TP0", "TP1")}

    assert ranks["TP0"] == ranks["TP1"]
    assert sum("switch to " in text for text in ranks["TP0"]) == 21  # ten warm-ups, ten passes, the reference
    assert {text for text in ranks["TP0"] if "multimem" in text} == {
        "multimem all-gather disabled (no multicast for world_size=2)\n"
    }
