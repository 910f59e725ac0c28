"""Whether the launches of a study were measured, from the small files beside their records."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from sweetspot.errors import RunError


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
