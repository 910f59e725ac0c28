"""A project folder of its own with a small study on the stand-in engine, and Snakemake to run it."""

import hashlib
import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
SNAKEMAKE = Path(sys.executable).with_name("snakemake")
STUDY: dict[str, Any] = {
    "name": "small",
    "models": {"target": {"path": "models/target"}, "draft": {"path": "models/draft", "trained_on": None}},
    "engine": "fake",
    "engines": {"fake": {"args": {"max-running-requests": 8}, "env": {}}},
    "tp_size": 1,
    "speculation": {"algorithm": "EAGLE3", "num_steps": [2], "trees": []},
    "smoke": {"accept_length": None},
    "nccl": {"default": {"env": {}, "args": {}}},
    "args_sets": {},
    "controls": [],
    "launches": "dedicated",
    "equality_rounds": 0,
    "loads": [1],
    "verdict_load": 1,
    "prompts": {"file": "prompts.jsonl", "sha256": "", "chat_template": None, "thinking": None},
    "generation": {"max_new_tokens": 16, "ignore_eos": True, "temperature": 0},
    "exactness": {"near_tie_nats": 0.1},
    "radix_cache": False,
    "profile": "none",
    "rounds": 1,
    "repeats": 2,
    "warmup_passes": 1,
    "limits": {"start_s": 20, "stall_s": 20},
    "seed": 0,
}


class Project:
    """A folder in which Snakemake works, with `study` as its config.yaml."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workflow = ROOT
        self.start = [str(SNAKEMAKE)]
        self.options = ["--cores", "1"]
        self.study = json.loads(json.dumps(STUDY))
        self.environment = dict(os.environ) | {"SWEETSPOT_HOST_LOCK": str(folder / "host.lock")}
        for role in ("target", "draft"):
            self.write_model(role, hidden_size=64)
        self.write_prompts([[1, 2, 3], [4, 5, 6], [7, 8, 9]])

    def write_model(self, role: str, **config: Any) -> None:  # noqa: ANN401
        """Write a model of no weights with this configuration."""
        model = self.folder / "models" / role
        model.mkdir(parents=True, exist_ok=True)
        (model / "config.json").write_text(json.dumps(config))
        (model / "model.safetensors").write_bytes(struct.pack("<Q", 2) + b"{}")

    def write_prompts(self, prompts: list[list[int]]) -> None:
        """Write a prompts file of token ids, and its hash into the study."""
        lines = [json.dumps({"id": f"p{i}", "input_ids": ids}) for i, ids in enumerate(prompts)]
        text = "\n".join(lines) + "\n"
        (self.folder / "prompts.jsonl").write_text(text)
        self.study["prompts"]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
        self.save()

    def take_default_study(self, **changes: Any) -> None:  # noqa: ANN401
        """Make the default study, with some of its top-level keys replaced, the project's; not saved yet."""
        self.study = yaml.safe_load((ROOT / "config.yaml").read_text()) | {"name": "small"} | changes
        self.study["prompts"]["file"] = str(ROOT / self.study["prompts"]["file"])

    def save(self) -> None:
        """Write the study as it is now."""
        (self.folder / "config.yaml").write_text(yaml.safe_dump(self.study, sort_keys=False))

    def command(self, *words: str) -> list[str]:
        """Return Snakemake's command line in this folder."""
        places = ["--snakefile", str(self.workflow / "Snakefile"), "--directory", str(self.folder)]
        return [*self.start, *places, *self.options, *words]

    def snakemake(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run Snakemake to its end."""
        return subprocess.run(self.command(*words), env=self.environment, capture_output=True, text=True)

    def begin(self, *words: str, **streams: Any) -> "subprocess.Popen[str]":  # noqa: ANN401
        """Start Snakemake and let it run; what it prints is dropped, or goes to *streams*."""
        streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL} | streams
        return subprocess.Popen(self.command(*words), env=self.environment, text=True, **streams)

    def planned(self, *words: str) -> dict[str, int]:
        """Return how often each rule would run now, the target itself left out."""
        answer = self.snakemake("--dry-run", *words)
        assert answer.returncode == 0, answer.stdout + answer.stderr
        counts = dict(re.findall(r"^(\w+) +(\d+)$", answer.stdout + answer.stderr, re.MULTILINE))
        return {
            rule: int(count) for rule, count in counts.items() if rule not in {"total", "all", "published"}
        }

    def record(self, launch: str, round_: int = 0) -> Path:
        """Return where a record of the study is."""
        return self.folder / "results" / "small" / "run" / launch / str(round_) / "record.json"
