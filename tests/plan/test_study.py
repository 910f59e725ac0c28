"""Tests of `sweetspot.plan.study`: what it reads, and the line it answers with where it can't."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sweetspot.errors import StudyError
from sweetspot.plan.study import RESERVED, SCHEMA, check, load

TARGET = "constructed: {shape: tiny, acceptance: [0.75], seed: 0}"
ARG = "device: cpu"
FLAG = "expected a flag without leading dashes, lower-case words with hyphens"
VALUE = "expected text, a number, true for a bare flag, or a list"
NAME = "expected lower-case letters, digits and hyphens"
ROUNDS = "how many times every launch is started, each time in a new order (a count, 1 or more)"
NO_INTEGER = f"expected an integer of at least 1; rounds means {ROUNDS}"
QUOTES = "put it in quotes as you mean it, since YAML reads on, off, yes and no as true and false"

KEYS = yaml.safe_load(SCHEMA.read_text())["properties"]

SCHEMA_FAULTS = [
    # unknown and missing keys
    (
        "num_steps: [",
        "num_step: [",
        "speculation.num_step: unknown key, expected one of num_steps, trees, algorithm; "
        "did you mean num_steps",
    ),
    (
        "exactness: {",
        "exactness: {round: 3, ",
        "exactness.round: unknown key, expected one of near_tie_nats; "
        "did you mean rounds of the study itself",
    ),
    (
        "smoke: {",
        "num_step: [1]\nsmoke: {",
        f"num_step: unknown key, expected one of {', '.join(KEYS)}; did you mean speculation.num_steps",
    ),
    (
        "exactness: {",
        "exactness: {zzz: 1, ",
        "exactness.zzz: unknown key, expected one of near_tie_nats; remove it",
    ),
    ("rounds: 3\n", "", f"rounds: missing, expected an integer of at least 1; add it: {ROUNDS}"),
    (
        "python: sglang/bin/python, ",
        "",
        "engines.external.python: missing, expected the path of a Python interpreter; "
        "add it: path of the interpreter that can import your SGLang",
    ),
    # values of another type or out of range
    (
        "rounds: 3",
        "rounds: three",
        f"rounds: 'three', {NO_INTEGER}",
    ),
    ("rounds: 3", "rounds: 0", f"rounds: 0, {NO_INTEGER}"),
    ("rounds: 3", "rounds: 3.0", f"rounds: 3.0, {NO_INTEGER}"),
    ("rounds: 3", "rounds: true", f"rounds: true, {NO_INTEGER}"),
    (
        "repeats: 5",
        "repeats: 0",
        "repeats: 0, expected an integer of at least 1; repeats means timed passes of each variant at each "
        "load within one launch (a count, 1 or more)",
    ),
    (
        "temperature: 0",
        "temperature: .inf",
        "generation.temperature: inf, expected a number of at least 0; temperature means sampling "
        "temperature, 0 or more (exactness can be judged at 0 only)",
    ),
    (
        "max_new_tokens: 128",
        "max_new_tokens: 2",
        "generation.max_new_tokens: 2, expected an integer of at least 3; max_new_tokens means longest "
        "answer, in tokens, 3 or more (the first comes from prefill, and one more leaves an accepted draft "
        "no room)",
    ),
    (
        "[0.75]",
        "[1.5]",
        "models.constructed.acceptance[0]: 1.5, expected a number of at least 0 up to 1; "
        "correct acceptance[0]",
    ),
    (
        "loads: [1]",
        "loads: [1, 1]",
        "loads: [1, 1], expected a list of at least 1 with none twice; loads means loads to measure at, in "
        "requests in flight (counts, 1 or more, rising)",
    ),
    ("loads: [1]", "loads: [0]", "loads[0]: 0, expected an integer of at least 1; correct loads[0]"),
    (
        "engine: auto",
        "engine: engine-cu11",
        "engine: 'engine-cu11', expected one of auto, engine-cpu, engine-cu12, engine-cu13, external, fake; "
        "did you mean engine-cu13",
    ),
    (
        "nccl:\n  default: {env: {}, args: {}}",
        "nccl: {}",
        "nccl: {}, expected a mapping of at least 1; nccl means NCCL variants by name, each measured with "
        "its own baseline",
    ),
    # what YAML reads as something else
    (
        "default: {env: {}",
        "default: {env: {NCCL_X: 1}",
        "nccl.default.env.NCCL_X: 1, expected text; put it in quotes",
    ),
    (
        "default: {env: {}",
        "default: {env: {NCCL_X: on}",
        f"nccl.default.env.NCCL_X: true, expected text; {QUOTES}",
    ),
    (
        "name: quickstart",
        "name: 2026-01-01",
        "name: 2026-01-01, expected lower-case letters, digits, hyphens and dots; put it in quotes",
    ),
    # names
    ("default: {env", "Ring LL: {env", f"nccl: key 'Ring LL', {NAME}; write ring-ll"),
    (
        "default: {env: {}",
        "default: {env: {nccl_algo: Ring}",
        "nccl.default.env: key 'nccl_algo', expected an upper-case variable name; write NCCL_ALGO",
    ),
    ("args_sets: {}", "args_sets: {ä: {x: 1}}", f"args_sets: key 'ä', {NAME}; rename it"),
    (ARG, "--device: cpu", f"engines.engine-cpu.args: key '--device', {FLAG}; write device"),
    (ARG, "page_size: 1", f"engines.engine-cpu.args: key 'page_size', {FLAG}; write page-size"),
    (ARG, "device: false", f"engines.engine-cpu.args.device: false, {VALUE}; leave the flag out"),
    (ARG, "device: null", f"engines.engine-cpu.args.device: nothing, {VALUE}; correct device"),
    (ARG, "device: {a: 1}", f"engines.engine-cpu.args.device: a mapping, {VALUE}; correct device"),
    # alternatives
    (
        "constructed:",
        "constructd:",
        "models: constructd, expected constructed, or target and draft; did you mean constructed",
    ),
    (
        TARGET,
        "target: {path: t}\n  draft: d",
        "models.draft: 'd', expected path, or hub and revision, and trained_on; write one of the two",
    ),
    (
        TARGET,
        "target: {path: t}\n  draft: {hub: a/b, revision: main, trained_on: null}",
        "models.draft.revision: 'main', expected 40 hexadecimal digits; revision means the commit of the "
        "model's repository, since a branch can move under a study",
    ),
    (
        TARGET,
        f"target: {{path: t}}\n  draft: {{path: d}}\n  {TARGET}",
        "models.constructed: unknown key, expected one of target, draft; remove it",
    ),
]

MEANING_FAULTS = [
    ("name: quickstart", "name: env", "name: 'env', expected none that results/ reserves; choose another"),
    ("loads: [1]", "loads: [8, 1]", "loads: [8, 1], expected them rising; write [1, 8]"),
    ("[1, 2]", "[]", "speculation: nothing, expected num_steps or trees; add a step count"),
    (
        "EAGLE3",
        "EAGLE",
        "speculation.algorithm: 'EAGLE', expected EAGLE3 with constructed models, whose draft is an EAGLE-3 "
        "head; write EAGLE3",
    ),
    (
        "engine: auto",
        "engine: engine-cu13",
        "engines.engine-cu13: missing, expected an entry for the engine that serves beside engine-cpu, "
        "engine-cu12, external, fake; add its args and env",
    ),
    (
        "default: {env: {}, args: {}}\nargs_sets: {}",
        "default: {env: {}, args: {enable-mscclpp: true}}\nargs_sets: {a: {enable-mscclpp: true}}",
        "args_sets.a.enable-mscclpp: set in nccl.default.args too, expected once; remove one of the two",
    ),
    (
        "default: {env: {}",
        "default: {env: {SGLANG_SIMULATE_ACC_LEN: '2'}",
        "nccl.default.env.SGLANG_SIMULATE_ACC_LEN: a simulation, expected it absent; remove it, since "
        "simulated acceptance makes garbage of the text and a ranking of it means nothing",
    ),
]

YAML_FAULTS = [
    (
        "rounds: 3",
        "rounds 3",
        ", line 34, column 1: could not find expected ':', expected YAML; correct it there",
    ),
    (
        "rounds: 3",
        "rounds: 3\nrounds: 4",
        ", line 34, column 1: the key rounds a second time, expected YAML; correct it there",
    ),
    (
        "default: {env",
        "off: {env",
        ", line 21, column 3: a key that is a bool to YAML unless quoted, expected YAML; correct it there",
    ),
    (
        "rounds: 3",
        "[1]: 3",
        ", line 33, column 1: a key that is a seq to YAML unless quoted, expected YAML; correct it there",
    ),
]


def subschemas(schema: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401
    """Yield every mapping within *schema*."""
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from subschemas(value)
    if isinstance(schema, list):
        for value in schema:
            yield from subschemas(value)


class TestLoad:
    """Tests of `load`."""

    def test_reads_what_is_written(self, tmp_path: Path, quickstart: str) -> None:
        """A sound study comes back as it stands in its file."""
        file = tmp_path / "config.yaml"
        file.write_text(quickstart)

        study = load(file)

        assert study == yaml.safe_load(quickstart)

    @pytest.mark.parametrize(
        "models",
        [
            "target: {path: t}\n  draft: {path: d, trained_on: [3, 31, 59]}",
            f"target: {{hub: a/b, revision: {'0a' * 20}}}\n  draft: {{path: d, trained_on: null}}",
        ],
    )
    def test_takes_models_from_files(self, tmp_path: Path, quickstart: str, models: str) -> None:
        """Both kinds of source are legal, each for itself."""
        file = tmp_path / "config.yaml"
        file.write_text(quickstart.replace(TARGET, models))

        study = load(file)

        assert study["models"].keys() == {"target", "draft"}

    @pytest.mark.parametrize(("old", "new", "line"), SCHEMA_FAULTS + MEANING_FAULTS)
    def test_says_what_to_change(
        self, tmp_path: Path, quickstart: str, old: str, new: str, line: str
    ) -> None:
        """One fault gives one line: the key, what was found, what was expected, what to do."""
        file = tmp_path / "config.yaml"
        file.write_text(quickstart.replace(old, new, 1))

        with pytest.raises(StudyError) as error:
            load(file)

        assert str(error.value) == f"{file}: {line}"

    def test_says_that_there_is_no_timer_to_control(self, tmp_path: Path, quickstart: str) -> None:
        """Without a profile nothing is timed, so nothing can be said of its cost."""
        file = tmp_path / "config.yaml"
        file.write_text(
            quickstart.replace("controls: [aa]", "controls: [timer]").replace(
                "profile: phases", "profile: none"
            )
        )

        with pytest.raises(
            StudyError, match=r": controls: timer beside profile: none, expected a timer whose"
        ):
            load(file)

    @pytest.mark.parametrize(("old", "new", "line"), YAML_FAULTS)
    def test_says_where_it_is_no_yaml(
        self, tmp_path: Path, quickstart: str, old: str, new: str, line: str
    ) -> None:
        """What is not YAML, or not in the way one reads it, is found by line and column."""
        file = tmp_path / "config.yaml"
        file.write_text(quickstart.replace(old, new, 1))

        with pytest.raises(StudyError) as error:
            load(file)

        assert str(error.value) == f"{file}{line}"

    def test_says_that_there_is_no_file(self, tmp_path: Path) -> None:
        """A study that does not exist is an error of one line, too."""
        file = tmp_path / "none.yaml"

        with pytest.raises(
            StudyError, match=r"none.yaml: No such file or directory, expected a study file; "
        ):
            load(file)

    @pytest.mark.parametrize("content", [b"\xff", b"\x01"])
    def test_says_that_it_is_no_text(self, tmp_path: Path, content: bytes) -> None:
        """A file of something else is no traceback."""
        file = tmp_path / "config.yaml"
        file.write_bytes(content)

        with pytest.raises(StudyError, match=r"^[^\n]+, expected YAML; save it as UTF-8$"):
            load(file)

    def test_says_that_it_is_empty(self, tmp_path: Path) -> None:
        """An empty file has no key to name."""
        file = tmp_path / "config.yaml"
        file.write_text("")

        with pytest.raises(
            StudyError, match=r"config.yaml: nothing, expected a study; a study means one experiment"
        ):
            load(file)


class TestCheck:
    """Tests of `check`."""

    @pytest.mark.parametrize("name", RESERVED)
    def test_keeps_reserved_folders_free(self, make_study: Callable[..., dict[str, Any]], name: str) -> None:
        """No study can write where results/ keeps something else."""
        study = make_study(name=name)

        with pytest.raises(
            StudyError, match=rf"^config.yaml: name: '{name}', expected none that results/ reserves"
        ):
            check(study, "config.yaml")


class TestSchema:
    """Tests of config.schema.yaml."""

    def test_is_closed_and_complete(self) -> None:
        """No key is optional but the engines', none is open, and none has a default."""
        schema = yaml.safe_load(SCHEMA.read_text())

        objects = [
            part for part in subschemas(schema) if part.get("type") == "object" and "properties" in part
        ]
        optional = [
            key for part in objects for key in part["properties"] if key not in part.get("required", [])
        ]
        assert all(part["additionalProperties"] is False for part in objects)
        assert optional == ["engine-cpu", "engine-cu12", "engine-cu13", "fake", "external"]
        assert not any("default" in part for part in subschemas(schema) if "type" in part)

    def test_says_what_each_key_means(self) -> None:
        """Each key has a sentence of its own, or of what it refers to."""
        schema = yaml.safe_load(SCHEMA.read_text())

        keys = {
            key: part
            for parent in subschemas(schema)
            if parent.get("type") == "object"
            for key, part in parent.get("properties", {}).items()
        }
        silent = [
            key
            for key, part in keys.items()
            if not part.get("description")
            and "description" not in schema["$defs"][part["$ref"].split("/")[-1]]
        ]
        assert len(keys) > 40
        assert silent == []


def test_a_plan_is_light_to_import() -> None:
    """The runner's machine has neither a YAML reader nor a schema validator."""
    code = "import sys, sweetspot.plan; print({'yaml', 'jsonschema'} & sys.modules.keys())"

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert answer.stdout == "set()\n"
