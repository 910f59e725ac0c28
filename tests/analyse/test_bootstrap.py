import numpy as np
import polars as pl
import pytest

from sweetspot.analyse.bootstrap import ENOUGH, bootstrap

PROMPTS = 6


def requests_of(speed: float, rounds: int, *, by_prompt: float = 0.0, by_start: float = 0.0) -> pl.DataFrame:
    """Return requests of 3 repeats a round, whose log speeds spread by prompt and by start."""
    rng = np.random.default_rng(int(speed))
    prompts, starts = rng.normal(0, by_prompt, PROMPTS), rng.normal(0, by_start, rounds)
    rows = [
        {"round": round_, "repeat": repeat, "prompt": f"p{prompt}", "decode_tokens": 100}
        | {"decode_s": 100 / (speed * np.exp(starts[round_] + prompts[prompt]))}
        for round_ in range(rounds)
        for repeat in range(3)
        for prompt in range(PROMPTS)
    ]
    return pl.DataFrame(rows)


class TestBootstrap:
    """Tests of `bootstrap`."""

    def test_without_spread(self) -> None:
        """Where everything repeats, so do the draws."""
        found = bootstrap(requests_of(150, ENOUGH), requests_of(100, ENOUGH))

        assert found == pytest.approx((1.5, 1.5))

    def test_too_few_rounds(self) -> None:
        """Only rounds that both have count."""
        assert bootstrap(requests_of(150, ENOUGH), requests_of(100, ENOUGH - 1)) is None

    def test_a_missing_pass(self) -> None:
        """An incomplete round can't be drawn from."""
        assert bootstrap(requests_of(150, ENOUGH)[:-1], requests_of(100, ENOUGH)) is None

    def test_prompts_are_drawn(self) -> None:
        """A gain that hangs on the prompts has an interval, though every round says the same."""
        low, high = bootstrap(requests_of(150, 12, by_prompt=0.1), requests_of(100, 12)) or (0, 0)

        assert 0.03 < np.log(high / low) / (2 * 1.96) < 0.06  # 0.1 / sqrt(6) is 0.041

    def test_rounds_are_drawn(self) -> None:
        """So has a gain that changes from start to start: its width is that of the mean of the rounds."""
        low, high = bootstrap(requests_of(150, 20, by_start=0.1), requests_of(100, 20)) or (0, 0)

        assert np.log(high / low) / (2 * 1.96) == pytest.approx(0.1 / 20**0.5, rel=0.35)
