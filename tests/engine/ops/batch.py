"""Batches as SGLang's scheduler makes them: requests on any rows, their tokens in any slots."""

from dataclasses import dataclass

import torch
from torch import Tensor

SLOTS = 400
ROWS = 8
POSITIONS = 40


@dataclass
class Batch:
    """Requests of random lengths whose tokens lie in random slots, no slot twice."""

    req_to_token: Tensor  # (ROWS, POSITIONS)
    req_pool_indices: Tensor  # (requests,)
    seq_lens: Tensor  # (requests,)

    def slots(self, request: int) -> list[int]:
        """Return the slots of a request's tokens, in the order of its sequence."""
        row = int(self.req_pool_indices[request])
        return [int(slot) for slot in self.req_to_token[row, : int(self.seq_lens[request])]]


def random_batch(requests: int, shortest: int) -> Batch:
    """Return a batch whose requests have from *shortest* to 30 tokens."""
    return Batch(
        req_to_token=torch.randperm(SLOTS)[: ROWS * POSITIONS].view(ROWS, POSITIONS).int(),
        req_pool_indices=torch.randperm(ROWS)[:requests],
        seq_lens=torch.randint(shortest, 31, (requests,)),
    )
