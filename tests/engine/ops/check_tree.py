"""The tree of drafts against one that is walked from each node to its root."""

import random
from itertools import pairwise

import sgl_kernel
import torch

QLEN_ONLY, FULL_MASK = 1, 0
Built = tuple[torch.Tensor, ...]


def check_chains() -> None:
    """With topk 1 each node follows the one before it and sees all before it."""
    for num_steps in (1, 2, 5):
        nodes = num_steps + 1
        parents = [[-1, *range(num_steps - 1)]] * 2

        mask, positions, index, first_child, sibling = _build(
            parents, [list(range(num_steps))] * 2, [7, 20], 1, nodes
        )

        assert torch.equal(mask, torch.ones(nodes, nodes, dtype=torch.bool).tril().expand(2, -1, -1))
        assert positions.tolist() == [[7 + i for i in range(nodes)], [20 + i for i in range(nodes)]]
        assert index.tolist() == [list(range(nodes)), list(range(nodes, 2 * nodes))]
        assert first_child.tolist() == [[*range(1, nodes), -1]] * 2
        assert sibling.tolist() == [[-1] * nodes] * 2


def check_random_trees() -> None:
    """Masks, positions and links of random trees are those of their nodes' ancestors and children."""
    chance = random.Random(0)
    for _ in range(200):
        topk, num_steps = chance.randint(2, 4), chance.randint(1, 4)
        candidates = topk + (num_steps - 1) * topk * topk
        nodes = 1 + chance.randint(1, min(candidates, 9))
        requests = [_random_tree(chance, topk, num_steps, nodes) for _ in range(3)]
        groups, selected, seq_lens = [r[0] for r in requests], [r[1] for r in requests], [3, 12, 5]

        built = _build(groups, selected, seq_lens, topk, nodes)

        for request in range(3):
            tree = [None, *selected[request]]  # candidate of each node
            lineages = [_lineage(candidate, groups[request], topk) for candidate in tree]
            mask, positions, index, first_child, sibling = (part[request].tolist() for part in built)
            assert mask == [[other in lineage for other in tree] for lineage in lineages]
            assert positions == [seq_lens[request] + len(lineage) - 1 for lineage in lineages]
            assert index == [request * nodes + node for node in range(nodes)]
            for node, lineage in enumerate(lineages):
                children = [i for i, other in enumerate(lineages) if other[1:] == lineage]
                assert first_child[node] == (children[0] if children else -1)
                for child, following in pairwise([*children, -1]):
                    assert sibling[child] == following


def check_an_orphan_hangs_nowhere() -> None:
    """A candidate whose parent was not selected can't be reached, and sees node 0 and itself."""
    groups = [[-1, 0, 1]]  # group 1 follows candidate 0, group 2 candidate 1

    mask, positions, _, first_child, sibling = _build(groups, [[0, 4]], [10], 2, 3)

    assert mask[0].tolist() == [[True, False, False], [True, True, False], [True, False, True]]
    assert positions[0].tolist() == [10, 11, 11]
    assert first_child[0].tolist() == [1, -1, -1]
    assert sibling[0].tolist() == [-1, -1, -1]


def check_another_mask_mode_raises() -> None:
    """A mask that counts the prefix too is a GPU's."""
    try:
        _build([[-1]], [[0]], [5], 1, 2, FULL_MASK)
    except NotImplementedError as error:
        assert "mask mode 0" in str(error)
    else:
        raise AssertionError("the full mask was accepted")


def _random_tree(chance: random.Random, topk: int, num_steps: int, nodes: int) -> tuple[list[int], list[int]]:
    """Return whom each group of candidates follows, and *nodes* - 1 candidates with their ancestors."""
    groups = [-1]
    level = list(range(topk))  # candidates of the last step
    for _ in range(num_steps - 1):
        first_group = len(groups)
        groups += chance.sample(level, topk)
        level = list(range(first_group * topk, len(groups) * topk))
    selected: list[int] = []
    while len(selected) < nodes - 1:
        grown = [c for c in range(len(groups) * topk) if c < topk or groups[c // topk] in selected]
        selected.append(chance.choice([c for c in grown if c not in selected]))
    return groups, sorted(selected)


def _lineage(candidate: int | None, groups: list[int], topk: int) -> list[int | None]:
    """Return *candidate*, its parent, and so on to None, the verified token."""
    lineage = [candidate]
    while lineage[-1] is not None:
        parent = groups[lineage[-1] // topk]
        lineage.append(None if parent == -1 else parent)
    return lineage


def _build(
    groups: list[list[int]],
    selected: list[list[int]],
    seq_lens: list[int],
    topk: int,
    nodes: int,
    mask_mode: int = QLEN_ONLY,
) -> Built:
    requests = len(seq_lens)
    mask = torch.ones(requests * nodes * nodes, dtype=torch.bool)
    positions = torch.full((requests * nodes,), -5)
    index, first_child, sibling = torch.full((3, requests, nodes), -1)
    sgl_kernel.build_tree_kernel_efficient_cpu(
        *(torch.tensor(groups), torch.tensor(selected), torch.tensor(seq_lens), mask, positions),
        *(index, first_child, sibling, topk, 0, nodes, mask_mode),
    )
    return mask.view(requests, nodes, nodes), positions.view(requests, nodes), index, first_child, sibling
