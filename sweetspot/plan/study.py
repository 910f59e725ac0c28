"""Turns a study file into a study that is known to be sound, or into one line that says what to change.

The schema says what each key may be; the rest of this module is what a schema can't say. Of `sweetspot.plan`
only this module, `explain`, `namesake` and `strict_yaml` need more than the standard library.
"""

import math
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from sweetspot.errors import StudyError
from sweetspot.plan import strict_yaml
from sweetspot.plan.bundles import expand
from sweetspot.plan.explain import explain
from sweetspot.plan.flags import check_env, check_flags
from sweetspot.plan.grid import entry

SCHEMA = Path(__file__).parents[2] / "config.schema.yaml"
RESERVED = ("env", "published", "rendered", "models", "logs")  # folders in results/ that are no study's


def load(path: Path) -> dict[str, Any]:
    """Return the study that the file *path* holds.

    Raises:
        StudyError: If there is no such file, it is not YAML, or `check` refuses it.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StudyError(f"{path}: {error.strerror}, expected a study file; name one that exists") from error
    except UnicodeDecodeError as error:
        raise StudyError(f"{path}: {error}, expected YAML; save it as UTF-8") from error
    study = strict_yaml.read(text, str(path))
    return check(study, str(path))


def check(study: object, where: str) -> dict[str, Any]:
    """Return *study*, its bundles expanded, if it obeys the schema and makes sense.

    Args:
        study: What was read.
        where: The study's file, for the error.

    Raises:
        StudyError: For the fault that helps most to know.
    """
    schema = _schema()
    errors = list(_validator()(schema).iter_errors(study))
    if errors or not isinstance(study, dict):
        raise StudyError(explain(where, errors, schema))
    study = study | {"nccl": expand(study["nccl"], where)}
    _check_values(study, where)
    _check_settings(study, where)
    if study["engine"] != "auto":  # only the host knows what it stands for
        entry(study, study["engine"], where)
    return study


@cache
def _schema() -> dict[str, Any]:
    schema: dict[str, Any] = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    return schema


@cache
def _validator() -> type[Draft202012Validator]:
    """Return a validator to which 3.0 is no integer and infinity no number."""
    types = Draft202012Validator.TYPE_CHECKER.redefine_many(
        {
            "integer": lambda _, value: isinstance(value, int) and not isinstance(value, bool),
            "number": lambda _, value: (
                isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            ),
        }
    )
    validator: type[Draft202012Validator] = extend(Draft202012Validator, type_checker=types)  # type: ignore[no-untyped-call]
    return validator


def _check_values(study: dict[str, Any], where: str) -> None:
    """Raise for values that are each legal and make no sense together."""
    name, loads, speculation = study["name"], study["loads"], study["speculation"]
    if name in RESERVED:
        raise StudyError(f"{where}: name: {name!r}, expected none that results/ reserves; choose another")
    if loads != sorted(loads):
        raise StudyError(f"{where}: loads: {loads}, expected them rising; write {sorted(loads)}")
    if study["verdict_load"] not in loads:
        raise StudyError(
            f"{where}: verdict_load: {study['verdict_load']}, expected one of loads, {loads}; choose one"
        )
    if not speculation["num_steps"] and not speculation["trees"]:
        raise StudyError(f"{where}: speculation: nothing, expected num_steps or trees; add a step count")
    if "timer" in study["controls"] and study["profile"] == "none":
        raise StudyError(
            f"{where}: controls: timer beside profile: none, expected a timer whose cost can be measured; "
            "write profile: phases, or remove it"
        )
    algorithm = speculation["algorithm"]
    if "constructed" in study["models"] and algorithm != "EAGLE3":
        raise StudyError(
            f"{where}: speculation.algorithm: {algorithm!r}, expected EAGLE3 with constructed models, whose "
            "draft is an EAGLE-3 head; write EAGLE3"
        )


def _check_settings(study: dict[str, Any], where: str) -> None:
    """Raise if the study sets what the tool sets, or one flag in two places of which neither is the later."""
    for name, engine in study["engines"].items():
        check_flags(f"{where}: engines.{name}.args", engine["args"])
        check_env(f"{where}: engines.{name}.env", engine["env"])
    for name, args in study["args_sets"].items():
        check_flags(f"{where}: args_sets.{name}", args)
    for name, variant in study["nccl"].items():
        check_flags(f"{where}: nccl.{name}.args", variant["args"])
        check_env(f"{where}: nccl.{name}.env", variant["env"])
        for args_set, args in study["args_sets"].items():
            for flag in sorted(args.keys() & variant["args"].keys()):
                raise StudyError(
                    f"{where}: args_sets.{args_set}.{flag}: set in nccl.{name}.args too, expected once; "
                    "remove one of the two"
                )
