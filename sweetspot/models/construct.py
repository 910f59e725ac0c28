"""Makes a target and its EAGLE-3 draft that agree as often as a spec says. Runs under an engine's Python.

    python -m sweetspot.models.construct --out DIR --spec '{"shape": "tiny", "acceptance": [0.75], "seed": 0}'

writes `DIR/target` and `DIR/draft`, whole or not at all.
"""

import argparse
import json
import shutil
import sys
from dataclasses import asdict
from pathlib import Path

from sweetspot.errors import ModelError
from sweetspot.models import config_files, safetensors_file
from sweetspot.models.layered import LayeredWeights
from sweetspot.models.spec import CONSTRUCTION, Spec, spec
from sweetspot.models.weights import Weights


def construct(pair: Spec, out: Path) -> None:
    """Write the pair into the new folder *out*.

    It is written beside *out* and renamed when it is whole; what a killed construction left there is removed
    first.

    Raises:
        ModelError: If *out* exists.
    """
    if out.exists():
        raise ModelError(f"{out}: exists, expected a new folder; remove it to construct the models again")
    partial = out.with_name(f"{out.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    weights = LayeredWeights(pair) if pair.layers else Weights(pair)
    tensors = {"target": weights.target(), "draft": weights.draft()}
    made_from = {key: value for key, value in asdict(pair).items() if key != "layers" or value}
    metadata = {"format": "pt", "construction": json.dumps({**made_from, "construction": CONSTRUCTION})}
    for role in tensors:
        (partial / role).mkdir(parents=True)
        config_files.write(pair, role, partial / role)
    for role, parts in tensors.items():
        safetensors_file.write(parts, metadata, partial / role / "model.safetensors")
    partial.rename(out)


def main() -> int:
    """Construct what the command line asks for, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m sweetspot.models.construct", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--spec", type=json.loads, required=True)
    arguments = parser.parse_args()
    try:
        construct(spec(arguments.spec), arguments.out)
    except ModelError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
