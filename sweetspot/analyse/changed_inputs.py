"""What two studies were asked and given differently: host, software, models, prompts, arguments. Pure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from sweetspot.analyse.study_files import StudyFiles

Facts = dict[tuple[str, str], Any]  # by group and name
ABSENT = "absent"


@dataclass(frozen=True)
class InputChange:
    """A fact that differs."""

    group: str
    name: str
    a: str
    b: str
    where: str = ""  # variants that it is of; empty for the whole study


def changed_inputs(a: StudyFiles, b: StudyFiles) -> list[InputChange]:
    """Return every fact that differs between the studies; what concerns variants, of those that both have.

    Folders, names and times are no facts: the same models elsewhere are the same models.
    """
    facts_a, facts_b = _facts(a), _facts(b)
    changes = []
    for key in [*facts_a, *(key for key in facts_b if key not in facts_a)]:
        text_a, text_b = (_text(facts[key]) if key in facts else ABSENT for facts in (facts_a, facts_b))
        if text_a != text_b:
            changes.append(InputChange(*key, text_a, text_b))
    return changes + _of_variants(a.plan, b.plan)


def _facts(study: StudyFiles) -> Facts:
    """Return what is known of the whole study, the gravest first."""
    record, plan = study.record, study.plan
    engine, host = record["engine"], record["host"]
    packages = engine["packages"]
    nccl = [name for name in packages if name.startswith("nvidia-nccl")]
    leading = ["sglang", *nccl]
    groups = [
        ("protocol", {"number": record["protocol"]}),
        ("engine", {key: value for key, value in engine.items() if key not in _NO_FACTS}),
        ("driver", {"version": host["driver"]}),
        ("packages", {name: packages[name] for name in leading} | packages),
        ("host", {key: value for key, value in host.items() if key not in ("driver", "node")}),
        ("models", {role: _without_folders(record["models"][role]) for role in ("target", "draft")}),
        ("prompts", record["identity"]["prompts"]),
        ("workload", plan["workload"]),
        ("plan", {key: plan[key] for key in ("rounds", "seed")} | _grid(plan["variants"])),
    ]
    return {(group, name): value for group, tree in groups for name, value in _leaves(tree)}


def _grid(variants: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the *variants* of a plan are made of, by the keys of a study."""
    names = [row["id"].partition(".")[0] for row in variants]  # without that of an NCCL variant
    told = list(zip(names, variants, strict=True))
    chains = {row["num_steps"] for row in variants if row["eagle_topk"] == 1 and not row["control"]}
    return {
        "num_steps": sorted(chains),
        "trees": _listed(name for name, row in told if row["eagle_topk"] > 1),
        "controls": _listed(name for name, row in told if row["control"]),
        "nccl": _listed(row["nccl"] for row in variants),
        "args_sets": _listed(row["args_set"] for row in variants if row["args_set"]),
    }


def _listed(names: Iterable[str]) -> str | None:
    return ", ".join(dict.fromkeys(names)) or None


_NO_FACTS = ("asked", "packages", "differences")  # how it was named, and what packages tell


def _without_folders(model: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in model.items() if key != "folder"}


def _of_variants(plan_a: dict[str, Any], plan_b: dict[str, Any]) -> list[InputChange]:
    """Return the arguments, variables and kinds of launch that differ, each with the variants it is of."""
    settings_a, settings_b = _settings(plan_a), _settings(plan_b)
    shared = [variant for variant in settings_a if variant in settings_b]
    found: dict[InputChange, list[str]] = {}
    for variant in shared:
        before, after = settings_a[variant], settings_b[variant]
        for group, name in [*before, *(key for key in after if key not in before)]:
            texts = [
                _text(facts[group, name]) if (group, name) in facts else ABSENT for facts in (before, after)
            ]
            if texts[0] != texts[1]:
                found.setdefault(InputChange(group, name, *texts), []).append(variant)
    return [
        InputChange(
            change.group,
            change.name,
            change.a,
            change.b,
            "every variant" if len(variants) == len(shared) else ", ".join(variants),
        )
        for change, variants in found.items()
    ]


def _settings(plan: dict[str, Any]) -> dict[str, Facts]:
    """Return how each variant is launched, by the first launch that has it."""
    settings: dict[str, Facts] = {}
    for launch in plan["launches"]:
        facts: Facts = {("launch", "kind"): launch["kind"]}
        facts |= {("arguments", name): value for name, value in launch["args"].items()}
        facts |= {("environment", name): value for name, value in launch["env"].items()}
        for variant in launch["variants"]:
            settings.setdefault(variant, facts)
    return settings


def _leaves(tree: Any, name: str = "") -> Iterator[tuple[str, Any]]:  # noqa: ANN401  any JSON
    """Yield each value in *tree* with its name, `cpu.model`; a list is one value."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from _leaves(value, f"{name}.{key}" if name else str(key))
    else:
        yield name, tree


def _text(value: Any) -> str:  # noqa: ANN401  any JSON
    """Return *value* on one line; nothing is "none"."""
    if value is None:
        return "none"
    return " ".join(str(value).split())
