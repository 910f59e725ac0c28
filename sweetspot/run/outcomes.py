"""Where the records of a study lie, and whether its launches were measured, from small files beside them."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sweetspot.errors import RunError


def record_paths(run: Path, plan: dict[str, Any]) -> list[Path]:
    """Return where the record of each launch of *plan* in each round lies.

    Args:
        run: Folder of the study's runs.
        plan: The content of plan.json.
    """
    launches, rounds = plan["launches"], range(plan["rounds"])
    return [run / launch["id"] / str(round_) / "record.json" for round_ in rounds for launch in launches]


def check(records: Sequence[Path]) -> list[str]:
    """Return the launch and round of each record, once none of them failed.

    Args:
        records: `run/LAUNCH/ROUND/record.json` of a study.

    Raises:
        RunError: If launches failed, naming them; their servers' last words go to standard error before.
    """
    outcomes = {
        f"{path.parts[-3]}/{path.parts[-2]}": json.loads(path.with_name("outcome.json").read_text())
        for path in records
    }
    failures = {name: outcome["failure"] for name, outcome in outcomes.items() if outcome["failure"]}
    for name, failure in failures.items():
        print(f"{name}: the server's last words", *failure["last_words"], sep="\n  ", file=sys.stderr)
    if failures:
        listed = "; ".join(f"{name}: {failure['message']}" for name, failure in failures.items())
        raise RunError(
            f"{len(failures)} of {len(outcomes)} launches failed ({listed}), expected all measured; "
            f"start again to try them again"
        )
    return sorted(outcomes)
