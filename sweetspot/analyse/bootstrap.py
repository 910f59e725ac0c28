"""A second opinion on a speedup, without a bell curve: what other rounds, passes and prompts might have said.

Rounds are drawn first, the same for a variant and its baseline, then the passes within each launch, then the
prompts, the same in all launches. Prompts are the one thing that a spread between rounds can't show: each
round repeats them. Below `ENOUGH` rounds there is none: a few values drawn again and again hardly differ, so
its interval is too narrow. It stands alone at 95 %, is not adjusted, and decides nothing. Pure.
"""

from functools import cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sweetspot.analyse.spread import Floats

Cubes = tuple[Floats, Floats]  # decode tokens and seconds, each of shape (rounds, repeats, prompts)

ENOUGH = 8  # rounds: in made-up studies 19 % of the intervals miss at 3, 12 % at 5, 10 % at 8, 8 % at 12
DRAWS = 1000
_CONFIDENCE = 0.95


def bootstrap(requests: pl.DataFrame, baseline: pl.DataFrame) -> tuple[float, float] | None:
    """Return the ends of the speedup's interval, or None below `ENOUGH` common rounds or where passes miss.

    Args:
        requests: The rows of requests.parquet of one variant and load.
        baseline: Those of its baseline.
    """
    common = sorted(set(requests["round"]) & set(baseline["round"]))
    if len(common) < ENOUGH:
        return None
    ours, theirs = _cubes(requests, common), _cubes(baseline, common)
    return None if ours is None or theirs is None else resampled(ours, theirs)


def resampled(variant: Cubes, baseline: Cubes, seed: int = 0) -> tuple[float, float]:
    """Return the ends of the interval of the ratio of *variant*'s speed to that of *baseline*."""
    rounds, _, prompts = variant[0].shape
    drawn_rounds, times_drawn = _draws(rounds, prompts, seed)
    rng = np.random.default_rng((seed, 1))
    logs = [_mean_log(side, drawn_rounds, times_drawn, rng) for side in (variant, baseline)]
    tail = (1 - _CONFIDENCE) / 2
    low, high = np.exp(np.quantile(logs[0] - logs[1], [tail, 1 - tail]))
    return float(low), float(high)


@cache
def _draws(rounds: int, prompts: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which rounds are drawn, (draws, rounds), and how often each prompt is, (draws, prompts)."""
    rng = np.random.default_rng(seed)
    drawn_rounds = rng.integers(rounds, size=(DRAWS, rounds))
    return drawn_rounds, rng.multinomial(prompts, np.full(prompts, 1 / prompts), size=DRAWS)


def _mean_log(
    side: Cubes, drawn_rounds: NDArray[np.int64], times_drawn: NDArray[np.int64], rng: np.random.Generator
) -> Floats:
    """Return the mean over rounds of the log of the passes' median speed, for each draw."""
    tokens, seconds = (cube @ times_drawn.T for cube in side)  # (rounds, repeats, draws)
    speeds = np.log(tokens / seconds)
    repeats = speeds.shape[1]
    drawn_passes = rng.integers(repeats, size=(*drawn_rounds.shape, repeats))
    draws = np.arange(len(drawn_rounds))[:, None, None]
    chosen = speeds[drawn_rounds[:, :, None], drawn_passes, draws]  # (draws, rounds, repeats)
    return np.asarray(np.median(chosen, axis=2).mean(axis=1))


def _cubes(table: pl.DataFrame, rounds: list[int]) -> Cubes | None:
    """Return the decode tokens and seconds of each request, or None if a pass of these rounds is missing."""
    kept = table.filter(pl.col("round").is_in(rounds)).sort("round", "repeat", "prompt")
    shape = (len(rounds), kept["repeat"].n_unique(), kept["prompt"].n_unique())
    if kept.height != np.prod(shape):
        return None
    tokens, seconds = (
        kept[name].to_numpy().astype(np.float64).reshape(shape) for name in ("decode_tokens", "decode_s")
    )
    return tokens, seconds
