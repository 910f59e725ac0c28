"""The order in which a constructed target says its vocabulary, and where its draft is right.

After a token the target always says the next one of the orbit, at its end the first again. The draft does too
after a token that is marked right; after any other it says something else. So greedy verification of real
drafts accepts what the marks say, and everything about acceptance can be counted before a server runs. Pure;
the same on every Python, since both sides of a construction derive it.

Rights come in runs, each ended by one wrong token, and of the runs a share of `acceptance[0] * ... *
acceptance[i-1]` has at least i rights. A cycle that follows a rejection begins with a run and sees exactly
these conditional acceptances. A cycle that follows a full acceptance begins in the middle of a run, or behind
its end where the bonus token took the place of the wrong one, and sees those from further on. With one
constant acceptance that makes no difference. With a list, what is measured at a position drifts with the step
count, and most at few steps, where most cycles accept all: [0.62, 0.40, 0.30] gives an accept_length of 1.55
at one step instead of 1.62, and 1.97 at five as it should.
"""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

SPECIAL_TOKENS = 3  # ids 0 up: not in the orbit, never said


@dataclass(frozen=True)
class Orbit:
    """Tokens in the order that they are said."""

    tokens: tuple[int, ...]
    right: tuple[bool, ...]  # whether the draft knows what follows tokens[i]


def lay_out(vocab: int, acceptance: Sequence[float], seed: int) -> Orbit:
    """Return an orbit of all but the special tokens.

    Args:
        vocab: Tokens of the model, the special ones included.
        acceptance: Of the cycles that accepted all drafts before, the share that accepts draft 1, 2, ...; the
            last goes on for further drafts. So near 1 that not two wrong tokens fit, it is 1.
        seed: Of the order of the tokens, and of the order of the runs.
    """
    chance = random.Random(seed)
    tokens = list(range(SPECIAL_TOKENS, vocab))
    chance.shuffle(tokens)
    runs = _runs(len(tokens), acceptance)
    chance.shuffle(runs)
    right = [mark for run in runs for mark in (*[True] * run, False)] or [True] * len(tokens)
    return Orbit(tuple(tokens), tuple(right))


def _runs(tokens: int, acceptance: Sequence[float]) -> list[int]:
    """Return the rights of each run, which with their wrong ends are *tokens* in all; none if all are right.

    The lengths are spread evenly over their distribution, not drawn: the shares hold as closely as whole
    numbers can.
    """
    fitting, too_many = 0, tokens + 1  # runs
    while too_many - fitting > 1:
        tried = (fitting + too_many) // 2
        if tried + sum(_at_least(tried, acceptance, tokens)) <= tokens:
            fitting = tried
        else:
            too_many = tried
    if fitting < 2:
        return []
    counts = _at_least(fitting, acceptance, tokens)
    runs = [sum(count > run for count in counts) for run in range(fitting)]
    runs[0] += tokens - fitting - sum(runs)  # the longest takes what is left over
    return runs


def _at_least(runs: int, acceptance: Sequence[float], most: int) -> list[int]:
    """Return how many of *runs* have at least 1, 2, ... rights, up to *most*."""
    counts: list[int] = []
    share = 1.0
    for position in range(most):
        share *= acceptance[min(position, len(acceptance) - 1)]
        count = math.ceil(runs * share - 0.5)
        if count <= 0:
            break
        counts.append(count)
    return counts
