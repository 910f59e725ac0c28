"""One choice of SGLang's three speculative numbers: its id, its canonical form, its bounds, its arguments.

Every version that the project supports treats them alike.
"""

from dataclasses import dataclass

from sweetspot.errors import StudyError
from sweetspot.plan.document import Args, Variant


@dataclass(frozen=True, order=True)
class Speculation:
    """How far and how wide the draft looks ahead. All zero is the baseline."""

    num_steps: int
    eagle_topk: int
    num_draft_tokens: int

    @property
    def id(self) -> str:
        """Return `none` for the baseline, `s2` for a canonical chain, `s3k4d8` for a tree."""
        if self.num_steps == 0:
            return "none"
        return f"s{self.num_steps}" if self == chain(self.num_steps) else self.long_id

    @property
    def long_id(self) -> str:
        """Return the id with all three numbers, whatever SGLang makes of them."""
        return f"s{self.num_steps}k{self.eagle_topk}d{self.num_draft_tokens}"

    def canonical(self) -> "Speculation":
        """Return what SGLang runs: with one branch it sets num_draft_tokens itself and only warns."""
        return chain(self.num_steps) if self.eagle_topk == 1 else self

    def args(self, algorithm: str) -> Args:
        """Return the server arguments that ask SGLang for it, none for the baseline."""
        if self == BASELINE:
            return {}
        return {
            "speculative-algorithm": algorithm,
            "speculative-num-steps": self.num_steps,
            "speculative-eagle-topk": self.eagle_topk,
            "speculative-num-draft-tokens": self.num_draft_tokens,
        }

    def check(self, where: str) -> None:
        """Raise if the tree has fewer nodes than the target is to verify.

        The first step offers `eagle_topk` nodes, each further one `eagle_topk` for every branch. SGLang takes
        the best `num_draft_tokens - 1` of them beside the root, and dies at a request if there are fewer.

        Raises:
            StudyError: If `num_draft_tokens` is out of its bounds.
        """
        most = 1 + self.eagle_topk + (self.num_steps - 1) * self.eagle_topk**2
        if not 2 <= self.num_draft_tokens <= most:
            raise StudyError(
                f"{where}: num_draft_tokens {self.num_draft_tokens}, expected 2 to {most}, the nodes of "
                f"{self.num_steps} steps with {self.eagle_topk} branches; change it in speculation.trees"
            )


BASELINE = Speculation(0, 0, 0)


def speculation_of(variant: Variant) -> Speculation:
    """Return how *variant* speculates."""
    return Speculation(variant.num_steps, variant.eagle_topk, variant.num_draft_tokens)


def chain(num_steps: int) -> Speculation:
    """Return the chain of *num_steps* drafts, whose verify adds the root."""
    return Speculation(num_steps, 1, num_steps + 1)
