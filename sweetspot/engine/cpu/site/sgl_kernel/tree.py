"""The tree of draft tokens that one forward pass of the target verifies.

Node 0 is the last verified token, node i the i-th draft token. A chain is the tree of `topk` 1.
"""

from torch import Tensor

QLEN_ONLY = 1  # SGLang's TreeMaskMode: a mask of the tree's nodes without the tokens before it


def build_tree_kernel_efficient_cpu(
    parent_list: Tensor,
    selected_index: Tensor,
    verified_seq_len: Tensor,
    tree_mask: Tensor,
    positions: Tensor,
    retrive_index: Tensor,
    retrive_next_token: Tensor,
    retrive_next_sibling: Tensor,
    topk: int,
    depth: int,
    draft_token_num: int,
    tree_mask_mode: int,
) -> None:
    """Write who sees whom, where each token stands, and how to walk each request's tree.

    Candidates are numbered through: `topk` after the verified token, then `topk` after each that was drafted
    on.

    Args:
        parent_list: Candidate that each group of `topk` candidates follows. Shape (requests, groups).
        selected_index: Candidates in the tree, rising. Shape (requests, draft_token_num - 1).
        verified_seq_len: Tokens before node 0. Shape (requests,).
        tree_mask: Written: row node, column node, true for itself and its ancestors. Flat.
        positions: Written: position of each node in its sequence. Flat.
        retrive_index: Written: number of each node in the batch. Shape (requests, draft_token_num).
        retrive_next_token: Written: first child of each node where it has one. The same shape.
        retrive_next_sibling: Written: next child of the same node where there is one. The same shape.
        topk: Candidates a group.
        depth: Draft steps; not needed.
        draft_token_num: Nodes, the verified token included.
        tree_mask_mode: `QLEN_ONLY`, SGLang's choice on a CPU.
    """
    if int(tree_mask_mode) != QLEN_ONLY:
        raise NotImplementedError(
            f"sgl_kernel tree: mask mode {tree_mask_mode}, expected {QLEN_ONLY}, SGLang's choice on a CPU"
        )
    nodes = draft_token_num
    masks = tree_mask[: verified_seq_len.numel() * nodes * nodes].view(-1, nodes, nodes).zero_()
    for request, seq_len in enumerate(verified_seq_len.tolist()):
        parents = _parents(selected_index[request].tolist(), parent_list[request].tolist(), topk)
        seen: list[set[int]] = []
        for node, parent in enumerate(parents):
            seen.append({0, node} if parent is None else seen[parent] | {node})
            masks[request, node, list(seen[node])] = True
            positions[request * nodes + node] = seq_len + len(seen[node]) - 1
            retrive_index[request, node] = request * nodes + node
        youngest: dict[int, int] = {}
        for node, parent in enumerate(parents):
            if node == 0 or parent is None:
                continue
            if parent in youngest:
                retrive_next_sibling[request, youngest[parent]] = node
            else:
                retrive_next_token[request, parent] = node
            youngest[parent] = node


def _parents(selected: list[int], parent_of_group: list[int], topk: int) -> list[int | None]:
    """Return the parent of each node; None for node 0 and where the parent is not in the tree."""
    node_of = {candidate: node for node, candidate in enumerate(selected, start=1)}
    followed = [0, *map(node_of.get, parent_of_group[1:])]  # by group; the first follows the verified token
    return [None, *(followed[candidate // topk] for candidate in selected)]
