"""Runs every check of this folder under the engine's Python, which has torch and no pytest.

Prints one line of JSON a check: its name, and the traceback of its failure or null.
"""

import importlib
import json
import traceback
from pathlib import Path

import torch

for file in sorted(Path(__file__).parent.glob("check_*.py")):
    module = importlib.import_module(file.stem)
    for name, check in vars(module).items():
        if not name.startswith("check_"):
            continue
        torch.manual_seed(0)
        failure = None
        try:
            check()
        except Exception:
            failure = traceback.format_exc()
        print(json.dumps({"check": f"{file.stem}.{name}", "failure": failure}), flush=True)
