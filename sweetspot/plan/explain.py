"""Turns what a JSON Schema validator finds wrong with a study into the one line that helps most."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from jsonschema import ValidationError

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class _Fault:
    path: str  # `a.b[0]`, of the value at fault
    value: Any
    rule: str  # keyword of the schema
    limit: Any  # what stands under the keyword
    schema: Schema


def explain(where: str, errors: Iterable[ValidationError], root: Schema) -> str:
    """Return one line for *errors*, of an unknown key before anything else: a typo often causes the rest.

    Args:
        where: The study's file.
        errors: What is wrong with it, at least one.
        root: The whole schema, with its `$defs`.
    """
    error = min((_meant(error) for error in errors), key=_rank)
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
    schema: Any = error.schema
    fault = _Fault(path, error.instance, str(error.validator), error.validator_value, schema)
    if "propertyNames" in error.schema_path:
        line = _wrong_name(fault)
    elif fault.rule == "additionalProperties":
        line = _unknown_key(fault, root)
    elif fault.rule == "required":
        line = _missing_key(fault, root)
    elif fault.rule == "oneOf":
        line = _no_alternative(fault)
    else:
        line = _wrong_value(fault)
    return f"{where}: {line.lstrip('.: ')}"


def _meant(error: ValidationError) -> ValidationError:
    """Return *error*, or for one that says that no alternative fits, the error in the one that was meant."""
    while error.validator == "oneOf" and isinstance(error.instance, dict):
        schema: Any = error.schema
        shared = [len(error.instance.keys() & option["properties"].keys()) for option in schema["oneOf"]]
        if not any(shared):
            break
        meant = shared.index(max(shared))
        error = min((inner for inner in error.context if inner.schema_path[0] == meant), key=_rank)
    return error


def _rank(error: ValidationError) -> int:
    """Return a place in the queue: a misspelt key is missing under its right name too."""
    first = ["additionalProperties", "oneOf", "required"]
    rule = str(error.validator)
    return first.index(rule) if rule in first else len(first)


def _unknown_key(fault: _Fault, root: Schema) -> str:
    known = list(fault.schema["properties"])
    key = next(key for key in fault.value if key not in known)
    remedy = _did_you_mean(key, known, 0.6) or _elsewhere(key, root) or "remove it"
    return f"{fault.path}.{key}: unknown key, expected one of {', '.join(known)}; {remedy}"


def _elsewhere(key: str, root: Schema) -> str:
    """Return where *key* may belong: in another mapping of the study, if its line is indented wrongly."""
    places = {name: f"{name} of the study itself" for name in root["properties"]}
    for parent, schema in root["properties"].items():
        places |= {name: f"{parent}.{name}" for name in schema.get("properties", {})}
    close = get_close_matches(key, places, n=1, cutoff=0.8)
    return f"did you mean {places[close[0]]}" if close else ""


def _missing_key(fault: _Fault, root: Schema) -> str:
    key = next(key for key in fault.limit if key not in fault.value)
    schema = fault.schema["properties"][key]
    if "$ref" in schema:
        schema = {**root["$defs"][schema["$ref"].rpartition("/")[2]], **schema}
    return f"{fault.path}.{key}: missing, expected {_expected(schema)}; add it: {_meaning(schema)}"


def _no_alternative(fault: _Fault) -> str:
    known = [key for option in fault.limit for key in option["properties"]]
    keys = list(fault.value) if isinstance(fault.value, dict) else []
    found = ", ".join(keys) or _found(fault.value)
    hint = next((hint for key in keys if (hint := _did_you_mean(key, known))), "write one of the two")
    return f"{fault.path}: {found}, expected {fault.schema['title']}; {hint}"


def _wrong_name(fault: _Fault) -> str:
    tidy = re.sub(r"[\s_.-]+", "-", fault.value).strip("-").lower()
    candidates = [tidy, tidy.upper().replace("-", "_")]
    legal = next((name for name in candidates if re.search(fault.limit, name)), None)
    remedy = f"write {legal}" if legal else "rename it"
    return f"{fault.path}: key {fault.value!r}, expected {fault.schema['title']}; {remedy}"


def _wrong_value(fault: _Fault) -> str:
    return f"{fault.path}: {_found(fault.value)}, expected {_expected(fault.schema)}; {_remedy(fault)}"


def _remedy(fault: _Fault) -> str:
    if fault.rule == "not":
        return "leave the flag out"
    if fault.schema.get("type") == "string" and isinstance(fault.value, bool):
        return "put it in quotes as you mean it, since YAML reads on, off, yes and no as true and false"
    if fault.schema.get("type") == "string" and not isinstance(fault.value, str | dict | list | None):
        return "put it in quotes"
    if hint := _did_you_mean(fault.value, fault.schema.get("enum", [])):
        return hint
    key = fault.path.rpartition(".")[2] or fault.schema["title"]
    return f"{key} means {_meaning(fault.schema)}" if "description" in fault.schema else f"correct {key}"


def _did_you_mean(found: object, known: list[str], alike: float = 0.5) -> str:
    close = get_close_matches(found, known, n=1, cutoff=alike) if isinstance(found, str) else []
    return f"did you mean {close[0]}" if close else ""


def _meaning(schema: Schema) -> str:
    """Return what a key means, with a small first letter unless a name starts with it."""
    text: str = schema["description"]
    return text[0].lower() + text[1:] if text[1].islower() else text


def _expected(schema: Schema) -> str:
    """Return the values that *schema* accepts, in words."""
    if "title" in schema:
        return str(schema["title"])
    if "enum" in schema:
        return f"one of {', '.join(schema['enum'])}"
    nouns = {"integer": "an integer", "number": "a number", "array": "a list", "object": "a mapping"}
    bounds = {
        "minimum": "of at least {}",
        "exclusiveMinimum": "above {}",
        "maximum": "up to {}",
        "minItems": "of at least {}",
        "minProperties": "of at least {}",
        "uniqueItems": "with none twice",
    }
    words = [text.format(schema[bound]) for bound, text in bounds.items() if bound in schema]
    return " ".join([nouns[schema["type"]], *words])


def _found(value: object) -> str:
    """Return *value* as one would write it in YAML, a filled mapping in a word."""
    if value is None or isinstance(value, bool):
        return {None: "nothing", True: "true", False: "false"}[value]
    if isinstance(value, dict) and value:
        return "a mapping"
    return repr(value) if isinstance(value, str | int | float | list | dict) else str(value)
