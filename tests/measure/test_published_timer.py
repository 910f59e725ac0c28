"""Where the timer costs time, by the records of the published study: what docs/metrics.md says of it."""

import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from sweetspot.run.record import unpack

STUDY = Path(__file__).parents[2] / "results" / "published" / "timer-cost"
START = 5  # chunks after the first, in which the GPU waits for the host


def lost_us(record: Path) -> tuple[float, float]:
    """Return the microseconds that 3 steps lose in a round: at an answer's start, and in a cycle later."""
    answers: dict[tuple[str, str], list[np.ndarray]] = defaultdict(list)
    for timed in json.loads(record.read_text())["passes"]:
        for request in timed["requests"]:
            answers[timed["variant"], request["prompt"]].append(np.array(unpack(request["chunk_us"])))
    start, later = [], []
    for prompt in {prompt for _, prompt in answers}:
        with_it, without = (
            np.mean(answers[variant, prompt], axis=0) for variant in ("s3.default", "s3-untimed.default")
        )
        lost = (with_it - with_it[0]) - (without - without[0])
        start.append(lost[START])
        later.append((lost[-1] - lost[START]) / (len(lost) - START - 1))
    return float(np.mean(start)), float(np.mean(later))


def test_no_loss_can_be_told_where_the_gpu_waits_for_the_host() -> None:
    """-0.03 +- 0.12 ms in the first five cycles of an answer, 8 +- 3 us in each of those after them."""
    rounds = np.array([lost_us(path) for path in STUDY.glob("run/oneload.default/*/record.json")])

    assert rounds.shape == (12, 2)
    assert rounds.mean(axis=0) == pytest.approx([-29, 8.1], rel=0.02)
    assert rounds.std(axis=0, ddof=1) / 12**0.5 == pytest.approx([116, 2.9], rel=0.02)
