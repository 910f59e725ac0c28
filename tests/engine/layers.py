"""Serves a pair whose draft needs given layers under right and wrong ids, on the real CPU engine.

python -m tests.engine.layers FILE    measures all of it and writes what the figure is drawn from
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from sweetspot.analyse.smoke import judge_smoke
from sweetspot.engine import base
from sweetspot.host import env
from sweetspot.measure.acceptance import acceptance_by_position
from sweetspot.measure.meta_info import read_counts
from sweetspot.plan.capture import captured
from sweetspot.plan.smoke import NUM_STEPS
from sweetspot.run.job import Job
from sweetspot.run.runner import measure

ROOT = Path(__file__).parents[2]
PAIR = {"shape": "tiny", "acceptance": [0.75], "seed": 0, "layers": [3, 5, 6]}
IDS = {  # by what goes wrong
    "as trained": [2, 4, 5],
    "shifted by one layer": [1, 3, 4],
    "embedding captured": [-1, 4, 5],
}
DEPTH, VERSION = 8, (0, 5, 23)
FACTS: dict[str, Any] = {
    "engine": {"name": "engine-cpu"},
    "models": {"constructed": None},
    "identity": {"steps": {"smoke": 3}},
}


def construct(folder: Path) -> None:
    """Make the pair, under the engine's Python."""
    words = ["-m", "sweetspot.models.construct", "--out", str(folder), "--spec", json.dumps(PAIR)]
    python = env.python_of("engine-cpu")
    subprocess.run([python, *words], env={"PYTHONPATH": str(ROOT)}, check=True)


def list_ids(pair: Path, ids: list[int]) -> None:
    """Write *ids* into the draft's config."""
    place = pair / "draft" / "config.json"
    config = json.loads(place.read_text())
    config["eagle_config"]["eagle_aux_hidden_state_layer_ids"] = ids
    place.write_text(json.dumps(config))


def serve(pair: Path, out: Path) -> dict[str, Any]:
    """Return the record of the short run before a sweep, with the settings of the default study."""
    served = yaml.safe_load((ROOT / "config.yaml").read_text())["engines"]["engine-cpu"]
    chain = {"speculative-num-steps": NUM_STEPS, "speculative-eagle-topk": 1}
    chain["speculative-num-draft-tokens"] = NUM_STEPS + 1
    args = served["args"] | {"tp-size": 1, "disable-radix-cache": True, "speculative-algorithm": "EAGLE3"}
    launch = {
        "id": "smoke",
        "kind": "dedicated",
        "variants": ["smoke"],
        "candidates": [],
        "env": served["env"],
    }
    generation = {"max_new_tokens": 128, "ignore_eos": True, "temperature": 0}
    job = Job(
        launch=launch | {"args": args | chain},
        round=0,
        seed=0,
        steps={"smoke": NUM_STEPS},
        workload={"loads": [1], "repeats": 1, "warmup_passes": 0, "generation": generation, "profile": "none"}
        | {"limits": {"start_s": 300, "stall_s": 60}},
        engine=base.sglang("engine-cpu", env.python_of("engine-cpu")),
        folders={role: pair / role for role in ("target", "draft")},
        prompts=[{"id": f"p{i}", "input_ids": list(range(100 * i + 10, 100 * i + 42))} for i in range(4)],
        facts=FACTS,
    )
    return measure(job, out / "record.json", out / "server.log")


def row(case: str, record: dict[str, Any]) -> dict[str, Any]:
    """Return what the figure shows of one run."""
    histogram = np.zeros(NUM_STEPS + 1, dtype=np.int64)  # SGLang's ends with the most that a cycle accepted
    for request in record["passes"][0]["requests"]:
        counts = read_counts(request["meta"], case)
        assert counts is not None and counts.histogram is not None
        histogram[: len(counts.histogram)] += counts.histogram
    return {
        "case": case,
        "ids": IDS[case],
        "captured": list(captured("LlamaForCausalLM", DEPTH, IDS[case], VERSION)),
        "accept_length": round(judge_smoke(record, None)["accept_length"], 4),
        "by_position": [round(float(share), 4) for share in acceptance_by_position(histogram)],
    }


def measure_all(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the record under each kind of ids."""
    construct(folder / "pair")
    records = {}
    for case, ids in IDS.items():
        list_ids(folder / "pair", ids)
        records[case] = serve(folder / "pair", folder / case)
    return records


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        rows = [row(case, record) for case, record in measure_all(Path(made)).items()]
    Path(sys.argv[1]).write_text(json.dumps(rows, indent=1) + "\n")
