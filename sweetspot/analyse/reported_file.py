"""Reads `reported.yaml`: figures of a study that somebody else published, without its records."""

from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

from sweetspot.errors import RecordError
from sweetspot.plan.speculation import BASELINE, chain

_SAYS = "sweetspot/analyse/reported_file.py"
_TEXT = {"type": "string", "minLength": 1}
_NUMBER = {"type": "number", "exclusiveMinimum": 0}
_TIME = {"type": "number", "minimum": 0}  # ms, as stated


def _closed(**keys: Any) -> dict[str, Any]:  # noqa: ANN401  any schema
    """Return the schema of an object that has these keys, all of them and no others."""
    return {"type": "object", "additionalProperties": False, "required": list(keys), "properties": keys}


_OR_NULL: dict[str, Any] = {"type": "null"}
_SCHEMA = _closed(
    source=_closed(title=_TEXT, date={"type": ["string", "null"]}, where=_TEXT),
    setting={"type": "object", "additionalProperties": _TEXT},  # what is stated of model and machine
    load={"type": "integer", "minimum": 1},  # requests in flight
    nccl={"type": "object", "additionalProperties": _TEXT},  # NCCL variants by name, and what they are
    rows={
        "type": "array",
        "minItems": 1,
        "items": _closed(
            variant=_TEXT,  # id in our words: <speculation>.<NCCL variant>
            num_steps={"type": "integer", "minimum": 0},
            baseline=_TEXT,  # id of the row that its speed is divided by
            tokens_per_s=_NUMBER,
            cycle_ms={"anyOf": [_NUMBER, _OR_NULL]},
            phases_ms={
                "type": "object",
                "additionalProperties": False,
                "properties": dict.fromkeys(("draft", "verify", "extend", "other"), _TIME),
            },
            accept_length={
                "anyOf": [
                    _OR_NULL,
                    _closed(
                        stated=_TEXT,  # as the source prints it
                        low=_NUMBER,  # tokens a cycle, as the source counts them; low = high for one number
                        high=_NUMBER,
                        bonus={"enum": ["included", "excluded", "unstated"]},  # what the source says of it
                    ),
                ]
            },
        ),
    },
    notes={"type": "array", "items": _TEXT},  # what a reader must know
)


def read(path: Path) -> dict[str, Any]:
    """Return the figures in *path*.

    Raises:
        RecordError: If it is not YAML, or not what is expected of such a file.
    """
    try:
        reported = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        found = " ".join(str(error).split())
        raise RecordError(f"{path}: {found}, expected YAML; correct it there") from None
    if faults := sorted(Draft202012Validator(_SCHEMA).iter_errors(reported), key=str):
        fault = faults[0]
        where = ".".join(str(part) for part in fault.absolute_path) or "the file"
        raise RecordError(f"{path}: {where}: {fault.message}, expected what {_SAYS} says; correct it")
    _check_rows(reported, path)
    return dict(reported)


def _check_rows(reported: dict[str, Any], path: Path) -> None:
    """Raise for rows that are each well formed and make no sense together."""
    steps = {row["variant"]: row["num_steps"] for row in reported["rows"]}
    if len(steps) < len(reported["rows"]):
        raise RecordError(f"{path}: rows: a variant twice, expected each once; rename or remove one")
    for row in reported["rows"]:
        where = f"{path}: {row['variant']}"
        speculation, _, nccl = row["variant"].partition(".")
        expected = (chain(row["num_steps"]) if row["num_steps"] else BASELINE).id
        if speculation != expected or nccl not in reported["nccl"]:
            known = ", ".join(reported["nccl"])
            raise RecordError(
                f"{where}: expected {expected}.<one of {known}>; correct the id or its num_steps"
            )
        if steps.get(row["baseline"]) != 0:
            raise RecordError(f"{where}: baseline {row['baseline']}, expected a row with 0 steps; name one")
        stated = row["accept_length"]
        if stated is not None and stated["low"] > stated["high"]:
            found = f"accept_length low {stated['low']} and high {stated['high']}"
            raise RecordError(f"{where}: {found}, expected the lower first; swap them")
