"""What the study of two H200s will say of its NCCL variants, from what servers on such a machine chose."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from sweetspot.analyse.nccl_probed import Probed
from sweetspot.analyse.nccl_proof import prove
from sweetspot.plan.messages import Shape, messages

ROOT = Path(__file__).parents[2]
RECORDED = ROOT.parent / "shared" / "gpu-machine" / "results" / "call3-8b-x2-nccl.jsonl"
SERVERS = {  # by NCCL variant: which was recorded
    "default": "tp2-s3",
    "ring-ll": "tp2-s3-ring-ll",
    "ring-ll128": "tp2-s3-ring-ll128",
    "ring-simple": "tp2-s3-ring-simple",
    "tree": "tp2-s3-tree",
}
TARGET = Shape(hidden_size=4096, layers=32, dtype="bfloat16")


@pytest.fixture(scope="module")
def proof() -> dict[str, Any]:
    """What is proven of the study's variants, with a server that NCCL did nothing for as `custom`."""
    if not RECORDED.exists():
        pytest.skip("no recorded choices beside this checkout")
    nccl = yaml.safe_load((ROOT / "studies" / "h200x2-nccl.yaml").read_text())["nccl"]
    found = {server["name"]: server for server in map(json.loads, RECORDED.read_text().splitlines())}
    chosen = {name: found[server]["nccl"] for name, server in SERVERS.items()} | {"custom": {}}
    assert list(chosen) == list(nccl)
    return prove({name: probed(nccl[name], chosen[name]) for name in nccl})


def probed(variant: dict[str, Any], chosen: dict[str, int]) -> Probed:
    """Return a variant whose server wrote *chosen*: lines by collective, size, algorithm and protocol."""
    sent = messages(TARGET, [1, 4], [1, 8], [1, 2, 4, 8, 16])
    record = {
        **variant,
        "status": "complete",
        "reason": None,
        "target": {"layers": TARGET.layers},
        "messages": [vars(message) for message in sent],
        "server": {"resolved": {"disable_custom_all_reduce": bool(variant["args"])}},
    }
    log = [
        f"NCCL INFO {name}: {size} Bytes -> Algo {algorithm} proto {protocol} channel{{Lo..Hi}}={{0..1}}"
        for key, count in chosen.items()
        for name, size, algorithm, protocol in [key.split()]
        for _ in range(count)
    ]
    return Probed.read(record, log, [], None, [])


def test_each_variant_is_what_it_will_be_called(proof: dict[str, Any]) -> None:
    """NCCL did what each asked for; the custom all-reduce left it nothing to do."""
    assert {name: found["status"] for name, found in proof["variants"].items()} == {
        **dict.fromkeys(SERVERS, "seen"),
        "custom": "not on the path",
    }
    assert proof["variants"]["custom"]["detail"].endswith("served by SGLang's custom all-reduce")


def test_what_nccl_chooses_by_itself(proof: dict[str, Any]) -> None:
    """On two H200s that is Ring with LL at every size of the study, so that variant is the default."""
    same = {name for name, found in proof["variants"].items() if found["without_effect"]}
    chosen = {
        (row["nccl"], row["algorithm"], row["protocol"]) for row in proof["messages"] if row["algorithm"]
    }

    assert same == {"ring-ll"}
    assert {pair[1:] for pair in chosen if pair[0] == "default"} == {("RING", "LL")}
    assert {pair[1:] for pair in chosen if pair[0] == "ring-ll128"} == {("RING", "LL128")}
    assert {pair[1:] for pair in chosen if pair[0] == "ring-simple"} == {("RING", "SIMPLE")}
    assert {pair[1] for pair in chosen if pair[0] == "tree"} == {"TREE"}
