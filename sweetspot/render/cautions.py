"""What a reader must know before believing a number, from how it was made. Pure."""

from typing import Any, NamedTuple

from sweetspot.analyse.resolution import CPU_SERVERS
from sweetspot.plan.document import Variant
from sweetspot.plan.rewrites import MIXED_CHUNK, OVERLAP, turned_off

_REMEDIES = {
    OVERLAP: "disable-overlap-schedule as one of args_sets measures all of it without, the baseline too",
    MIXED_CHUNK: "without enable-mixed-chunk in the study no variant has it",
}


class Caution(NamedTuple):
    """A line to notice, and what follows from it."""

    title: str
    text: str


def reported_cautions(reported: dict[str, Any]) -> list[Caution]:
    """Return the caution of a study that consists of somebody's figures.

    Args:
        reported: The content of `reported.yaml`.
    """
    source = reported["source"]
    return [
        Caution(
            "Reported, not measured",
            f"The figures are those of “{source['title']}” ({source['where']}; "
            f"{source['date'] or 'date unknown'}). No raw records exist: nothing here can be computed again, "
            "no number has an interval, and which variant is faster stays unproven.",
        )
    ]


def cautions(plan: dict[str, Any], engine: dict[str, Any], models: dict[str, Any]) -> list[Caution]:
    """Return the cautions of a study, the gravest first.

    Args:
        plan: The content of `plan.json`.
        engine: What a record holds as `engine`.
        models: What a record holds as `models`.
    """
    found = []
    if engine["name"] == "fake":
        found.append(
            Caution(
                "Made up by the fake engine",
                "No model and no server ran. The numbers are invented to test the workflow.",
            )
        )
    elif any(launch["args"].get("device") == "cpu" for launch in plan["launches"]):
        found.append(
            Caution(
                "CPU: says nothing about a GPU",
                "SGLang's own server and EAGLE-3 worker ran, on a CPU. Tokens, acceptance and exactness are "
                "as real as the models; speeds, cycle times and the order of the variants are this CPU's, "
                f"and NCCL took no part. Two CPU servers differ by up to {100 * CPU_SERVERS:.0f} % for as "
                "long as they live: no speedup between two of them is claimed that is finer.",
            )
        )
    found += _confounders(plan)
    if models["constructed"]:
        shares = ", ".join(str(share) for share in models["constructed"]["acceptance"])
        found.append(
            Caution(
                "Acceptance is a dial of a constructed pair",
                f"Target and draft were made on the spot, for an acceptance of {shares}. accept_length is "
                "what was asked for, not a finding; trained models accept otherwise.",
            )
        )
    if engine["name"] == "external":
        itself = ", SGLang among them" if "sglang" in engine["differences"] else ""
        found.append(
            Caution(
                "Not from a lock",
                f"SGLang is the user's own. It was held against the lock of {engine['nearest_lock']}: "
                f"{len(engine['differences'])} packages differ{itself}. report.html names them under Engine.",
            )
        )
    return found


def _confounders(plan: dict[str, Any]) -> list[Caution]:
    """Return what else differs between variants and their baselines, because SGLang has it so."""
    variants = {variant["id"]: Variant(**variant) for variant in plan["variants"]}
    apart: dict[str, list[str]] = {}
    for launch in plan["launches"]:
        for variant in map(variants.__getitem__, launch["variants"]):
            if variant.baseline not in launch["variants"]:
                for what in turned_off(variant, launch["args"], launch["env"], plan["sglang"]):
                    apart.setdefault(what, []).append(variant.id)
    return [
        Caution(
            f"Not only speculation: {what}",
            f"SGLang {plan['sglang']} turns it off for {', '.join(ids)} and not for their baselines, so a "
            f"part of their speedups may be due to that; {_REMEDIES[what]}.",
        )
        for what, ids in apart.items()
    ]
