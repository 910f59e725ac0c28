"""Checks that a record is of the launch as planned. What is wrong with its numbers is for others to say."""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from typing import Any

from sweetspot.engine.plugin import PLAIN
from sweetspot.errors import MeasureError, RecordError
from sweetspot.measure.chunks import AGAIN
from sweetspot.plan.document import untimed
from sweetspot.run.cycles import mistimed
from sweetspot.run.job import WORKLOAD
from sweetspot.run.record import differences


def place(record: Mapping[str, Any]) -> str:
    """Return where *record* lies in its study."""
    return f"run/{record['launch']['id']}/{record['round']}/record.json"


def check(record: Mapping[str, Any], plan: Mapping[str, Any]) -> None:
    """Raise unless *record* is of a launch of *plan*, with the passes that its status promises.

    Args:
        record: As `sweetspot.run.record.read` returns it, with its `cycles`.
        plan: The content of plan.json.

    Raises:
        RecordError: If it is of something else, or passes are missing or too many.
        MeasureError: If an output is missing, or its length is not the request's count.
    """
    launches = {launch["id"]: launch for launch in plan["launches"]}
    found, where = record["launch"], place(record)
    if found["id"] not in launches:
        raise RecordError(
            f"{where}: not in the plan, expected one of its {len(launches)} launches; remove it"
        )
    planned = launches[found["id"]]
    facts = {
        "engine": (record["engine"]["name"], plan["engine"]),
        "prompts_sha256": (record["prompts_sha256"], plan["prompts_sha256"]),
        "variants": (found["variants"], planned["variants"]),
        "settings": (record["identity"]["settings"], planned["digest"]),  # args and env: redacted in one
        **{key: (record["workload"][key], plan["workload"][key]) for key in WORKLOAD},
    }
    for name, (measured, expected) in facts.items():
        if measured != expected:
            raise RecordError(f"{where}: {name} {measured}, expected {expected}; {AGAIN}")
    if not 0 <= record["round"] < plan["rounds"]:
        raise RecordError(f"{where}: round {record['round']}, expected 0 to {plan['rounds'] - 1}; remove it")
    _check_status(record, where)
    _check_passes(record, planned["variants"], plan["workload"], where)
    if planned["kind"] == "oneload":
        steps = {variant["id"]: variant["num_steps"] for variant in plan["variants"]}
        _check_switches(record, steps, where)
    without = untimed(plan) & set(planned["variants"])
    if without and record["status"] == "complete":
        _check_timer(record, without, where)
    _check_outputs(record, where)


def _check_status(record: Mapping[str, Any], where: str) -> None:
    """Raise unless a failure goes with status failed, and with no other."""
    status, failure = record["status"], record["failure"]
    if (status, failure is None) not in {("complete", True), ("failed", False)}:
        raise RecordError(
            f"{where}: status {status} with failure {failure}, expected only a failed one; {AGAIN}"
        )


def _check_passes(
    record: Mapping[str, Any], variants: list[str], workload: Mapping[str, Any], where: str
) -> None:
    """Raise unless each pass is one of the plan's, there once, and a complete record has them all."""
    found = Counter((p["variant"], p["load"], p["repeat"]) for p in record["passes"])
    planned = set(product(variants, workload["loads"], range(workload["repeats"])))
    for key, times in found.items():
        if key not in planned or times > 1:
            raise RecordError(f"{where}: pass {key} {times} times, expected a pass of the plan once; {AGAIN}")
    if record["status"] == "complete" and (missing := planned - found.keys()):
        raise RecordError(f"{where}: no pass {min(missing)}, expected {len(planned)} passes; {AGAIN}")


def _check_switches(record: Mapping[str, Any], steps: Mapping[str, int], where: str) -> None:
    """Raise unless every cycle of each pass ran at its variant's step count, by the server's own count."""
    for pass_ in record["passes"]:
        expected = str(steps[pass_["variant"]] or PLAIN)
        cycles = pass_.get("switch", {}).get("cycles", {})
        if list(cycles) != [expected]:
            raise RecordError(
                f"{where}: {pass_['variant']}, cycles {cycles}, expected {expected} steps alone; {AGAIN}"
            )


def _check_timer(record: Mapping[str, Any], without: frozenset[str], where: str) -> None:
    """Raise unless the timer saw cycles of each pass, but none of those *without* it."""
    if fault := mistimed(record["cycles"], record["passes"], without):
        raise RecordError(f"{where}: {fault}; {AGAIN}")


def _check_outputs(record: Mapping[str, Any], where: str) -> None:
    """Raise unless each request's output is there, with as many tokens as were counted."""
    tokens = {name: _length(packed) for name, packed in record["outputs"].items()}
    for pass_ in record["passes"]:
        for request in pass_["requests"]:
            found, expected = tokens.get(request["output"]), request["completion_tokens"]
            if found != expected:
                raise MeasureError(
                    f"{where}: {pass_['variant']}, prompt {request['prompt']}: output of {found} tokens, "
                    f"expected completion_tokens {expected}; {AGAIN}"
                )


@lru_cache(maxsize=4096)
def _length(packed: str) -> int:
    """Return how many tokens *packed* holds; the records of a study mostly hold the same."""
    return len(differences(packed))
