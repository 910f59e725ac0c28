"""Where the records of a study lie, and whether its launches were measured, from small files beside them."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sweetspot.errors import EngineError, RecordError, RunError
from sweetspot.plan.json_file import read_json

HOPELESS = 2  # rounds in which a launch failed, with none in which it completed


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
    failed = {f"{failure['launch']}/{failure['round']}": failure for failure in failures(records)}
    for name, failure in failed.items():
        print(f"{name}: the server's last words", *failure["last_words"], sep="\n  ", file=sys.stderr)
    if failed:
        listed = "; ".join(f"{name}: {failure['message']}" for name, failure in failed.items())
        raise RunError(
            f"{len(failed)} of {len(records)} launches failed ({listed}), expected all measured; "
            f"start again to try them again"
        )
    return sorted("/".join(path.parts[-3:-1]) for path in records)


def failures(records: Sequence[Path]) -> list[dict[str, Any]]:
    """Return the failures of launches, each with `launch`, `round`, and what the outcome says of it.

    Args:
        records: `run/LAUNCH/ROUND/record.json` of a study.
    """
    outcomes = [
        (path.parts, read_json(path.with_name("outcome.json"), "status", "failure")) for path in records
    ]
    return [
        {"launch": parts[-3], "round": int(parts[-2]), **outcome["failure"]}
        for parts, outcome in outcomes
        if outcome["failure"]
    ]


def hopeless(record: Path, attempt: int) -> EngineError | None:
    """Return why a launch is not started in one more round, None if it is.

    Args:
        record: Where the record of this round is to lie.
        attempt: Of this round. An outcome of an earlier attempt is of an earlier start of the workflow.
    """
    failed = []
    for file in sorted(record.parent.parent.glob("*/outcome.json")):
        try:
            outcome = read_json(file, "attempt", "status", "failure")
        except RecordError:  # cut short by a full disk
            continue
        if outcome["status"] == "complete":
            return None
        tried = outcome["attempt"] >= attempt and outcome["failure"]["kind"] != "given_up"
        if tried and file.parent != record.parent:
            failed.append(outcome["failure"]["message"])
    if len(failed) < HOPELESS:
        return None
    return EngineError(
        f"not started: {len(failed)} rounds failed and none completed, expected one that can; mend what the "
        f"first says ({failed[0]}), and start again",
        "given_up",
    )
