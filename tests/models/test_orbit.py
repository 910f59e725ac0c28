"""Tests of `sweetspot/models/orbit.py`, and of the walk over an orbit by which others check servers."""

import hashlib
import json
from functools import cache
from itertools import islice, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweetspot.models.orbit import SPECIAL_TOKENS, Orbit, lay_out
from sweetspot.models.spec import CONSTRUCTION
from tests.models.walk import expected_accept_length, walk

TINY, LARGE = 1024, 32000


def _run_lengths(orbit: Orbit) -> list[int]:
    """Return the rights before each wrong token."""
    marks = "".join("r" if right else "w" for right in orbit.right)
    return [len(run) for run in marks.split("w")[:-1]]


@cache
def _of_constant(vocab: int, share: float) -> Orbit:
    """Return an orbit of which each position accepts *share*; the large ones take a while."""
    return lay_out(vocab, [share], seed=0)


def _accepted_by_hand(orbit: Orbit, token: int, num_steps: int, cycles: int) -> list[int]:
    """Return the accepted drafts of each cycle, by drafting tokens and verifying them greedily."""
    says = dict(zip(orbit.tokens, (*orbit.tokens[1:], orbit.tokens[0]), strict=True))
    drafts = {t: says[t] if right else 0 for t, right in zip(orbit.tokens, orbit.right, strict=True)}
    drafts[0] = 0  # a token that the target never says
    accepted = []
    for _ in range(cycles):
        guesses = [drafts[token]]
        while len(guesses) < num_steps:
            guesses.append(drafts[guesses[-1]])
        accepted.append(0)
        for guess in guesses:
            if guess != says[token]:
                break
            token = guess
            accepted[-1] += 1
        token = says[token]  # the bonus token
    return accepted


class TestLayOut:
    """Tests of `lay_out`."""

    @given(
        vocab=st.integers(min_value=10, max_value=300),
        acceptance=st.lists(st.floats(min_value=0, max_value=1), min_size=1, max_size=4),
        seed=st.integers(min_value=0, max_value=5),
    )
    @settings(max_examples=50, deadline=None)
    def test_every_token_but_the_special_ones_comes_once(
        self, vocab: int, acceptance: list[float], seed: int
    ) -> None:
        """Whatever is asked, the orbit is complete and each token is marked."""
        orbit = lay_out(vocab, acceptance, seed)

        assert sorted(orbit.tokens) == list(range(SPECIAL_TOKENS, vocab))
        assert len(orbit.right) == len(orbit.tokens)
        assert orbit.right.count(False) != 1

    @pytest.mark.parametrize("acceptance", [[0.75], [0.3], [0.62, 0.40, 0.30], [0.5, 0.9]])
    @pytest.mark.parametrize("vocab", [TINY, LARGE])
    def test_runs_have_the_shares_that_are_asked_for(self, vocab: int, acceptance: list[float]) -> None:
        """The share of runs with at least i rights is the product of the first i acceptances."""
        runs = _run_lengths(lay_out(vocab, acceptance, seed=1))

        asked = 1.0
        for position in range(8):
            asked *= acceptance[min(position, len(acceptance) - 1)]
            share = sum(run > position for run in runs) / len(runs)
            assert share == pytest.approx(asked, abs=1.5 / len(runs))

    def test_runs_are_not_in_order(self) -> None:
        """Long and short runs are mixed: neighbours are as different as strangers."""
        runs = _run_lengths(lay_out(LARGE, [0.75], seed=0))

        ascents = sum(a < b for a, b in pairwise(runs)) / len(runs)
        descents = sum(a > b for a, b in pairwise(runs)) / len(runs)

        # two independent geometric lengths: (1 - P(equal)) / 2, P(equal) = (1 - p) / (1 + p)
        assert ascents == pytest.approx(3 / 7, abs=0.02)
        assert descents == pytest.approx(3 / 7, abs=0.02)

    def test_never_and_always(self) -> None:
        """Acceptance 0 marks all wrong; 1, and what is so near that two wrong ones do not fit, all right."""
        assert not any(lay_out(TINY, [0.0], 0).right)
        assert all(lay_out(TINY, [1.0], 0).right)
        assert all(lay_out(TINY, [0.9999], 0).right)

    def test_the_order_depends_on_the_seed_alone(self) -> None:
        """Two drafts of one seed share a target; another seed has another."""
        assert lay_out(TINY, [0.2], 5).tokens == lay_out(TINY, [0.9, 0.1], 5).tokens
        assert lay_out(TINY, [0.2], 5).tokens != lay_out(TINY, [0.2], 6).tokens

    def test_an_orbit_stays_what_it_is(self) -> None:
        """If it differs, so do the models of earlier runs: raise CONSTRUCTION, then change the digest."""
        orbit = lay_out(TINY, [0.62, 0.40, 0.30], seed=0)

        digest = hashlib.sha256(json.dumps([orbit.tokens, orbit.right]).encode()).hexdigest()

        assert (CONSTRUCTION, digest[:16]) == (1, "6a4abe7f1de64816")


class TestWalk:
    """The acceptance that a real server is held against."""

    def test_worked_example(self) -> None:
        """Rights r r w r w: at two steps the first cycle skips the wrong one, the next begins after it."""
        orbit = Orbit((10, 11, 12, 13, 14), (True, True, False, True, False))

        accepted = list(islice(walk(orbit, 10, num_steps=2), 4))

        # 10 -> drafts 11, 12, bonus 13 | 13 -> 14, then wrong, bonus 10 | and again
        assert accepted == [2, 1, 2, 1]

    @pytest.mark.parametrize("acceptance", [[0.75], [0.62, 0.40, 0.30], [1.0], [0.0]])
    @pytest.mark.parametrize("num_steps", [1, 2, 3, 5])
    def test_is_greedy_verification_of_the_drafts(self, acceptance: list[float], num_steps: int) -> None:
        """Each cycle accepts as many drafts as drafting and verifying token by token."""
        orbit = lay_out(TINY, acceptance, seed=2)
        for token in orbit.tokens[::100]:
            accepted = list(islice(walk(orbit, token, num_steps), 600))

            assert accepted == _accepted_by_hand(orbit, token, num_steps, cycles=600)


class TestExpectedAcceptLength:
    """An orbit gives the acceptance that it was asked for, at every step count."""

    @pytest.mark.parametrize("num_steps", [1, 2, 3, 5, 8])
    @pytest.mark.parametrize("share", [0.0, 0.3, 0.75, 0.9, 1.0])
    @pytest.mark.parametrize(("vocab", "within"), [(TINY, 0.015), (LARGE, 0.001)])
    def test_a_constant_acceptance_follows_the_geometric_sum(
        self, vocab: int, within: float, share: float, num_steps: int
    ) -> None:
        """It is 1 + p + ... + p**num_steps, within 1.5 % on the tiny vocabulary and 0.1 % on the large."""
        expected = expected_accept_length(_of_constant(vocab, share), num_steps)

        assert expected == pytest.approx(sum(share**i for i in range(num_steps + 1)), rel=within)

    @pytest.mark.parametrize("acceptance", [[0.75], [0.62, 0.40, 0.30], [0.5, 0.9]])
    @pytest.mark.parametrize("num_steps", [1, 2, 3, 5])
    def test_is_the_mean_of_a_long_walk_from_anywhere(self, acceptance: list[float], num_steps: int) -> None:
        """Wherever a generation begins, ten laps and more have this mean."""
        orbit = lay_out(TINY, acceptance, seed=4)

        expected = expected_accept_length(orbit, num_steps)

        for token in orbit.tokens[::100]:
            accepted = list(islice(walk(orbit, token, num_steps), 10 * TINY))
            assert 1 + sum(accepted) / len(accepted) == pytest.approx(expected, rel=2e-3)

    def test_a_falling_list_drifts_at_few_steps(self) -> None:
        """A cycle after a full acceptance sees later, lower shares: below the list at 1 step, equal at 5."""
        orbit = lay_out(LARGE, [0.62, 0.40, 0.30], seed=0)

        assert expected_accept_length(orbit, 1) == pytest.approx(1.551, abs=0.002)
        assert expected_accept_length(orbit, 5) == pytest.approx(1 + 0.62 * (1 + 0.4 / 0.7), abs=0.005)
