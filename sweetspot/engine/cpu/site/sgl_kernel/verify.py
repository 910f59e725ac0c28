"""Which draft tokens the target accepts: greedily, those that are its own next token."""

from collections.abc import Iterator, Sequence
from itertools import islice

from torch import Tensor


def verify_tree_greedy_cpu(
    predicts: Tensor,
    accept_index: Tensor,
    accept_token_num: Tensor,
    candidates: Tensor,
    retrive_index: Tensor,
    retrive_next_token: Tensor,
    retrive_next_sibling: Tensor,
    target_predict: Tensor,
) -> None:
    """Walk each request's tree from node 0 down to the last accepted token.

    Args:
        predicts: Written: the target's next token, at each accepted node's number. Shape (requests * nodes,).
        accept_index: Written from the left: numbers of node 0 and of the accepted nodes.
            Shape (requests, steps + 1).
        accept_token_num: Written: accepted drafts, the bonus token not included. Shape (requests,).
        candidates: Token of each node. Shape (requests, nodes).
        retrive_index: Number of each node in the batch. Shape (requests, nodes).
        retrive_next_token: First child of each node, -1 for none. Shape (requests, nodes).
        retrive_next_sibling: Next child of the same node, -1 for none. Shape (requests, nodes).
        target_predict: The target's next token after each node. Shape (requests, nodes).
    """
    parts = (candidates, target_predict.view_as(candidates), retrive_next_token, retrive_next_sibling)
    trees = zip(*(part.tolist() for part in parts), strict=True)
    for request, tree in enumerate(trees):
        path = list(islice(_accepted_nodes(*tree), accept_index.shape[1]))
        numbers = retrive_index[request, path].long()
        accept_index[request, : len(path)] = numbers
        accept_token_num[request] = len(path) - 1
        predicts[numbers] = target_predict.flatten()[numbers].to(predicts.dtype)


def fill_bonus_tokens_cpu(
    accept_tokens: Tensor, accept_lens: Tensor, bonus_tokens: Tensor, accept_stride: int
) -> None:
    """Write the last of each request's `accept_lens` tokens; the requests lie `accept_stride` apart."""
    by_request = accept_tokens.view(-1, accept_stride)
    last = accept_lens.long().sub(1).unsqueeze(1)
    bonus_tokens.copy_(by_request.gather(1, last).squeeze(1))


def _accepted_nodes(
    tokens: Sequence[int], wanted: Sequence[int], first_child: Sequence[int], next_sibling: Sequence[int]
) -> Iterator[int]:
    """Yield node 0, then the first child that holds the token wanted after it, then that one's."""
    parent: int | None = 0
    while parent is not None:
        yield parent
        said = wanted[parent]
        children = _children(first_child[parent], next_sibling)
        parent = next((child for child in children if tokens[child] == said), None)


def _children(first: int, next_sibling: Sequence[int]) -> Iterator[int]:
    child = first
    while child >= 0:
        yield child
        child = next_sibling[child]
