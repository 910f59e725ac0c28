"""Which draft tokens the target accepts: greedily, those that are its own next token."""

import torch
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
    most_nodes = accept_index.shape[1]
    wanted = target_predict.flatten()
    wanted_tokens = wanted.tolist()
    trees = (candidates, retrive_index, retrive_next_token, retrive_next_sibling)
    walks = zip(*(part.tolist() for part in trees), strict=True)
    for request, (token, number, first_child, next_sibling) in enumerate(walks):
        node = 0
        accepted = [number[0]]
        while len(accepted) < most_nodes:
            node = first_child[node]
            while node != -1 and token[node] != wanted_tokens[accepted[-1]]:
                node = next_sibling[node]
            if node == -1:
                break
            accepted.append(number[node])
        numbers = torch.tensor(accepted)
        accept_index[request, : len(accepted)] = numbers
        accept_token_num[request] = len(accepted) - 1
        predicts[numbers] = wanted[numbers].to(predicts.dtype)


def fill_bonus_tokens_cpu(
    accept_tokens: Tensor, accept_lens: Tensor, bonus_tokens: Tensor, accept_stride: int
) -> None:
    """Write the last of each request's `accept_lens` tokens; the requests lie `accept_stride` apart."""
    first = torch.arange(accept_lens.numel()) * accept_stride
    bonus_tokens.copy_(accept_tokens.flatten()[first + accept_lens - 1])
