"""Reads speculation's counters from a response's meta_info, under the names that its SGLang gave them.

The only place that knows these names. Ratios that a server computes itself (`spec_accept_length`,
`spec_accept_rate`) are left alone: their definitions changed between versions, the counts' did not.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sweetspot.errors import MeasureError

VERIFY_CT = ("spec_verify_ct",)
HISTOGRAM = (
    "spec_correct_drafts_histogram",  # 0.5.12 up
    "spec_accept_histogram",  # to 0.5.20
)
CORRECT_DRAFTS = (
    "spec_num_correct_drafts",  # 0.5.12 up
    "spec_accepted_drafts",  # 0.5.11 to 0.5.20
    "spec_accept_token_num",  # to 0.5.10
)
PROPOSED_DRAFTS = (
    "spec_num_proposed_drafts",  # 0.5.12 up
    "spec_proposed_drafts",  # 0.5.11 to 0.5.20
    "spec_draft_token_num",  # to 0.5.10
)


@dataclass(frozen=True)
class Counts:
    """What the server counted in one request."""

    verify_ct: int  # cycles
    histogram: NDArray[np.int64] | None  # cycles that accepted 0, 1, ... drafts
    proposed_drafts: int | None  # with the step count the server was started with
    correct_drafts: int | None  # accepted by the target; the bonus token is not among them


def read_counts(meta: Mapping[str, Any], where: str) -> Counts | None:
    """Return the counts in *meta*, or None if the server ran no cycle of speculation for this request.

    Args:
        meta: The final meta_info of a response; fields with other names are ignored.
        where: Record, variant and prompt, for the message.

    Raises:
        MeasureError: If two counts contradict each other.
    """
    verify_ct = _value(meta, VERIFY_CT, where)
    histogram = _value(meta, HISTOGRAM, where)
    correct = _value(meta, CORRECT_DRAFTS, where)
    proposed = _value(meta, PROPOSED_DRAFTS, where)
    if verify_ct is None:
        if histogram is None and correct is None and proposed is None:
            return None
        raise MeasureError(f"{where}: counts of drafts without spec_verify_ct, expected both or neither")
    if histogram is None:
        return Counts(verify_ct, None, proposed, correct)
    if min(histogram) < 0:
        raise MeasureError(f"{where}: accepted-drafts histogram {histogram}, expected counts from 0 up")
    if sum(histogram) != verify_ct:
        raise MeasureError(
            f"{where}: {sum(histogram)} cycles in the histogram, expected spec_verify_ct {verify_ct}"
        )
    in_histogram = sum(accepted * cycles for accepted, cycles in enumerate(histogram))
    if correct is not None and correct != in_histogram:
        raise MeasureError(
            f"{where}: {correct} accepted drafts, expected the {in_histogram} of its histogram {histogram}"
        )
    return Counts(verify_ct, np.array(histogram, dtype=np.int64), proposed, in_histogram)


def _value(meta: Mapping[str, Any], names: tuple[str, ...], where: str) -> Any:  # noqa: ANN401
    """Return the field that stands under one of *names*, or None. Some versions give it under two."""
    values = [meta[name] for name in names if name in meta]
    if len(values) > 1 and any(value != values[0] for value in values):
        found = {name: meta[name] for name in names if name in meta}
        raise MeasureError(f"{where}: {found}, expected one value under all names")
    return values[0] if values else None
