"""Greedy verification against a walk that asks every node for its parent."""

from itertools import pairwise

import sgl_kernel
import torch


def check_random_trees() -> None:
    """The path from node 0 along drafts that are the target's own next token is accepted, no more."""
    for _ in range(300):
        num_steps = int(torch.randint(1, 6, ()))
        parents = [[-1, *(int(torch.randint(0, node, ())) for node in range(1, 7))] for _ in range(3)]
        _check(parents, torch.randint(0, 3, (3, 7)), torch.randint(0, 3, (3, 7)), num_steps)


def check_chains() -> None:
    """A chain is accepted up to the first wrong draft: none, some and all of it."""
    nodes = 5
    target = torch.arange(2, 2 + nodes).expand(3, -1)
    drafts = torch.arange(1, 1 + nodes).repeat(3, 1)
    drafts[0, 1] = drafts[1, 3] = 99

    accepted = _check([[-1, *range(nodes - 1)]] * 3, drafts, target, nodes - 1)

    assert accepted == [0, 2, 4]


def check_fill_bonus_tokens() -> None:
    """The bonus token is the last of a request's accepted tokens."""
    tokens = torch.tensor([[5, 6, 7], [8, 9, 10], [11, 12, 13]], dtype=torch.int32)
    bonus = torch.zeros(3, dtype=torch.int32)

    sgl_kernel.fill_bonus_tokens_cpu(tokens, torch.tensor([1, 3, 2], dtype=torch.int32), bonus, 3)

    assert bonus.tolist() == [5, 10, 12]


def _check(parents: list[list[int]], drafts: torch.Tensor, target: torch.Tensor, num_steps: int) -> list[int]:
    """Compare with the walk, and return the accepted drafts of each request."""
    requests, nodes = drafts.shape
    number = torch.arange(requests * nodes).view(requests, nodes)
    first_child, sibling = torch.full((2, requests, nodes), -1)
    expected_index = torch.full((requests, num_steps + 1), -1, dtype=torch.int32)
    expected_predicts = torch.zeros(requests * nodes, dtype=torch.int32)
    accepted = []
    for request in range(requests):
        for node in range(nodes):
            children = [child for child in range(1, nodes) if parents[request][child] == node]
            for child, following in pairwise(children):
                sibling[request, child] = following
            if children:
                first_child[request, node] = children[0]
        path = [0]
        while len(path) <= num_steps:
            right = [
                node
                for node in range(1, nodes)
                if parents[request][node] == path[-1] and drafts[request, node] == target[request, path[-1]]
            ]
            if not right:
                break
            path.append(right[0])
        accepted.append(len(path) - 1)
        for place, node in enumerate(path):
            expected_index[request, place] = request * nodes + node
            expected_predicts[request * nodes + node] = target[request, node]

    index = torch.full_like(expected_index, -1)
    predicts = torch.zeros_like(expected_predicts)
    counts = torch.full((requests,), -1, dtype=torch.int32)
    sgl_kernel.verify_tree_greedy_cpu(
        predicts=predicts,
        accept_index=index,
        accept_token_num=counts,
        candidates=drafts,
        retrive_index=number,
        retrive_next_token=first_child,
        retrive_next_sibling=sibling,
        target_predict=target,
    )

    assert torch.equal(index, expected_index)
    assert torch.equal(predicts, expected_predicts)
    assert counts.tolist() == accepted
    return accepted
