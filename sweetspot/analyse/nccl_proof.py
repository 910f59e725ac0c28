"""Says of each NCCL variant whether NCCL did at verify size what the variant asks for. Pure.

Proof is a line in which NCCL names the algorithm and the protocol of a message of the study's own size. That
NCCL read a variable proves nothing: it may not serve the all-reduce, or choose otherwise all the same.
"""

from collections.abc import Mapping

from sweetspot.analyse.nccl_probed import Probed, Row
from sweetspot.measure.nccl import obeys, overwritten
from sweetspot.plan.probes import why_not

SEEN = "seen"
UNPROVEN = "unproven"  # a variable that leaves no trace in NCCL's log
IGNORED = "ignored"
OVERWRITTEN = "overwritten"
OFF_THE_PATH = "not on the path"
NOT_PROBED = "not probed"
_WORST_FIRST = (OFF_THE_PATH, OVERWRITTEN, IGNORED, UNPROVEN, SEEN)
_CHOOSING = {"NCCL_ALGO", "NCCL_PROTO"}  # what the lines on all-reduces answer
# Variables whose effect shows in the lines on all-reduces or on transports.
_VISIBLE = _CHOOSING | {
    *("NCCL_P2P_LEVEL", "NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE", "NCCL_CUMEM_ENABLE", "NCCL_NVLS_ENABLE"),
    *("NCCL_MIN_NCHANNELS", "NCCL_MAX_NCHANNELS", "NCCL_MIN_CTAS", "NCCL_MAX_CTAS"),
    *("NCCL_GRAPH_FILE", "NCCL_TOPO_FILE", "NCCL_COLLNET_ENABLE"),
}
_COMMUNICATION_FLAGS = {"disable-custom-all-reduce", "enable-nccl-nvls"}


def prove(probed: Mapping[str, Probed]) -> Row:
    """Return the proof of each NCCL variant of a study.

    Args:
        probed: By name, in the plan's order.

    Returns:
        `reference` (the variant that the others are held against: `default`, else the first), `variants` (by
        name: `status`, `detail`, `without_effect`, `version`, `transports`, `said`) and `messages` (a row for
        each variant and message: `status`, `detail`, `algorithm`, `protocol`, `channels`, `lines`).
    """
    names = list(probed)
    reference = "default" if "default" in names else names[0] if names else None
    rows = {
        name: [_prove_message(found, message) for message in found.record["messages"]]
        for name, found in probed.items()
    }
    variants = {}
    for name, found in probed.items():
        other = probed[str(reference)]
        same = name != reference and _same(found, other)
        told_by_difference = found.asked and found.asked <= _VISIBLE - _CHOOSING
        if name != reference and told_by_difference and _comparable(found, other):
            told = (
                f"all that NCCL logs is as under {reference}"
                if same
                else f"NCCL's log differs from {reference}'s"
            )
            for row in rows[name]:
                if row["status"] == UNPROVEN:
                    row |= {"status": IGNORED if same else SEEN, "detail": told}
        variants[name] = {
            **_overall(found, rows[name]),
            "without_effect": same and _differs_visibly(found, other),
            "version": found.server.version,
            "transports": sorted(found.server.transports),
            "said": found.said,
        }
    return {
        "reference": reference,
        "variants": variants,
        "messages": [{"nccl": name, **row} for name in names for row in rows[name]],
    }


def _prove_message(found: Probed, message: Row) -> Row:
    """Return the row of one message of one variant."""
    env = found.record["env"]
    choices = found.choices(message)
    most = max(choices, key=lambda choice: choices[choice], default=None)
    row = {
        **message,
        "algorithm": most.algorithm if most else None,
        "protocol": most.protocol if most else None,
        "channels": most.channels if most else None,
        "lines": found.lines(message["bytes"]),
    }
    if not found.on_the_path(message):
        return row | {"status": OFF_THE_PATH, "detail": found.who_served(row["lines"])}
    if wrong := overwritten(env, found.server):
        seen = ", ".join(f"{name}={value}" for name, value in wrong.items())
        return row | {"status": OVERWRITTEN, "detail": f"NCCL saw {seen}"}
    if not choices:
        return row | {"status": UNPROVEN, "detail": "no line at this size"}
    against = [choice for choice in choices if not obeys(env, choice)]
    if against:
        return row | {
            "status": IGNORED,
            "detail": f"NCCL chose {against[0].algorithm} {against[0].protocol} all the same",
        }
    if found.asked and not found.asked & _CHOOSING:
        return row | {"status": UNPROVEN, "detail": "no line of NCCL's tells its effect"}
    return row | {"status": SEEN, "detail": None}


def _overall(found: Probed, rows: list[Row]) -> Row:
    """Return the status of a variant: the worst of its verify sizes."""
    if found.skipped:
        return {"status": OFF_THE_PATH, "detail": why_not(found.record["args"])}
    if not found.started:
        return {"status": NOT_PROBED, "detail": found.record["reason"]}
    verifies = [row for row in rows if row["draft_tokens"] > 1] or rows
    worst = min(verifies, key=lambda row: _WORST_FIRST.index(row["status"]))
    return {"status": worst["status"], "detail": worst["detail"]}


def _same(found: Probed, reference: Probed) -> bool:
    """Return whether NCCL did the same in both, at every size of the study, over the same transports."""
    if found.skipped and reference.skipped:
        return True
    if not _comparable(found, reference):
        return False
    ways = [
        [(one.on_the_path(message), one.choices(message).keys()) for message in found.record["messages"]]
        for one in (found, reference)
    ]
    served = any(on_the_path for on_the_path, _ in ways[0])
    return ways[0] == ways[1] and (not served or found.server.transports == reference.server.transports)


def _comparable(found: Probed, reference: Probed) -> bool:
    """Return whether both started and sent the same messages."""
    return found.started and reference.started and found.record["messages"] == reference.record["messages"]


def _differs_visibly(found: Probed, reference: Probed) -> bool:
    """Return whether all that two variants differ in would show in the logs, if it did anything."""
    mine, others = found.record, reference.record
    variables = {name for name, _ in mine["env"].items() ^ others["env"].items()}
    flags = {
        flag
        for flag in mine["args"].keys() | others["args"].keys()
        if mine["args"].get(flag) != others["args"].get(flag)
    }
    unserved = not any(found.on_the_path(message) for message in mine["messages"])
    visible = all(name in _VISIBLE or (unserved and name.startswith("NCCL_")) for name in variables)
    return visible and flags <= _COMMUNICATION_FLAGS
