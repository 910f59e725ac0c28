"""Holds what bare all-reduces predict of the verify against what was measured. Pure.

A pass of the target does a known number of all-reduces of one size. Times how much longer one takes under an
NCCL variant, that is how much longer the verify should be, if nothing else changed.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from sweetspot.analyse.nccl_probed import Probed, Row
from sweetspot.analyse.statistics import half_width
from sweetspot.analyse.summary import target_pass

_QUARTERS = (0.25, 0.5, 0.75)
_AGAINST_THE_REFERENCE = (
    *("predicted_difference_s", "rest_s"),
    *(f"measured_difference_{end}s" for end in ("", "low_", "high_")),
)


def times(found: Probed) -> dict[int, Row]:
    """Return for each size that was timed bare the seconds of an all-reduce: median, and middle half.

    A size whose sum came out wrong is left out.
    """
    if found.timed is None:
        return {}
    count = found.timed["all_reduces_a_replay"]
    return {
        size["bytes"]: dict(
            zip(
                ("allreduce_low_s", "allreduce_s", "allreduce_high_s"),
                map(float, np.quantile(np.array(size["replay_s"]) / count, _QUARTERS)),
                strict=True,
            )
        )
        for size in found.timed["sizes"]
        if size["sum_is_right"]
    }


def bare(probed: Mapping[str, Probed]) -> list[Row]:
    """Return `nccl`, `bytes` and the times of each size that was timed bare and that NCCL serves."""
    rows = []
    for name, found in probed.items():
        served = {message["bytes"] for message in found.record["messages"] if found.on_the_path(message)}
        rows += [
            {"nccl": name, "bytes": size, **took} for size, took in times(found).items() if size in served
        ]
    return rows


def predict(probed: Mapping[str, Probed], reference: str | None, summary: Sequence[Row]) -> list[Row]:
    """Return a row for each variant and load whose message was timed bare.

    Args:
        probed: By name of the NCCL variant.
        reference: The NCCL variant that the others are held against.
        summary: Rows of the summary.

    Returns:
        `variant`, `nccl`, `load`, `bytes`, `all_reduces` (of a pass), `allreduce_s` with `_low_s` and
        `_high_s`, `on_the_path`, `predicted_s` (all of a pass), `measured_s` (the verify; of a baseline its
        decode step), and against the reference `predicted_difference_s`, `measured_difference_s` (the
        mean of the differences in each round that both have) with `_low_s` and `_high_s` (Student's) and
        `rest_s`. They are null for the reference itself and where something was not measured;
        `predicted_difference_s` and `rest_s` also unless NCCL serves both.
    """
    rows = {
        (row["variant"], row["load"]): _one(probed[row["nccl"]], row)
        for row in summary
        if row["nccl"] in probed
    }
    known = {key: row for key, row in rows.items() if row is not None}
    by_round = {(row["variant"], row["load"]): row["verify_s_by_round"] or [] for row in summary}
    for key, row in known.items():
        speculation, _, rest = row["variant"].partition(".")
        args_set = rest.removeprefix(row["nccl"])
        other = known.get((f"{speculation}.{reference}{args_set}", row["load"]))
        row |= dict.fromkeys(_AGAINST_THE_REFERENCE)
        if other is None or other is row:
            continue
        if row["on_the_path"] and other["on_the_path"]:
            row["predicted_difference_s"] = row["predicted_s"] - other["predicted_s"]
        row |= _measured_difference(by_round[key], by_round[other["variant"], row["load"]])
        if row["measured_difference_s"] is not None and row["predicted_difference_s"] is not None:
            row["rest_s"] = row["measured_difference_s"] - row["predicted_difference_s"]
    return list(known.values())


def _measured_difference(one: Sequence[float | None], other: Sequence[float | None]) -> Row:
    """Return by how much *one* exceeds *other* in the rounds that both have; no columns if there is none."""
    both = [a - b for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    if not both:
        return {}
    mean = float(np.mean(both))
    if len(both) == 1:
        return {"measured_difference_s": mean}
    half = half_width(both)
    ends = {"measured_difference_low_s": mean - half, "measured_difference_high_s": mean + half}
    return {"measured_difference_s": mean, **ends}


def _one(found: Probed, row: Row) -> Row | None:
    """Return what is predicted of one row of the summary alone, None if its message was not timed."""
    tokens = row["num_draft_tokens"] or 1
    sent = [m for m in found.record["messages"] if (m["draft_tokens"], m["load"]) == (tokens, row["load"])]
    took = times(found).get(sent[0]["bytes"]) if sent else None
    if took is None:
        return None
    all_reduces = 2 * found.record["target"]["layers"] + 1
    return {
        **{key: row[key] for key in ("variant", "nccl", "load")},
        "bytes": sent[0]["bytes"],
        "all_reduces": all_reduces,
        **took,
        "on_the_path": found.on_the_path(sent[0]),
        "predicted_s": all_reduces * took["allreduce_s"],
        "measured_s": row[target_pass(row)],
    }
