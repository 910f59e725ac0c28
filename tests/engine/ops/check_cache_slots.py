"""Bookkeeping of cache slots against the same written token by token."""

import sgl_kernel
import torch
from batch import POSITIONS, SLOTS, random_batch


def check_assign_req_to_token_pool() -> None:
    """Packed slots land at each request's positions, and nothing else changes."""
    batch = random_batch(requests=4, shortest=5)
    start = batch.seq_lens - torch.tensor([5, 1, 0, 3])
    slots = torch.arange(1000, 1009)
    expected = batch.req_to_token.clone()
    unused = iter(slots)
    for row, first, last in zip(batch.req_pool_indices, start, batch.seq_lens, strict=True):
        for position in range(int(first), int(last)):
            expected[row, position] = next(unused)

    sgl_kernel.assign_req_to_token_pool_cpu(
        batch.req_pool_indices, batch.req_to_token, start, batch.seq_lens, slots, POSITIONS
    )

    assert torch.equal(batch.req_to_token, expected)


def check_assign_extend_cache_locs() -> None:
    """Each request's slots between its offsets come out packed; room to spare stays untouched."""
    batch = random_batch(requests=4, shortest=5)
    start = batch.seq_lens - torch.tensor([5, 1, 0, 3])
    out = torch.full((11,), -7)

    sgl_kernel.assign_extend_cache_locs_cpu(
        batch.req_pool_indices, batch.req_to_token, start, batch.seq_lens, out, POSITIONS
    )

    expected = [slot for request in range(4) for slot in batch.slots(request)[int(start[request]) :]]
    assert out.tolist() == [*expected, -7, -7]


def check_assign_draft_cache_locs_contiguous() -> None:
    """The slots after each sequence come out: topk times the steps, for each request."""
    for topk, num_steps in ((1, 3), (4, 2)):
        batch = random_batch(requests=3, shortest=1)
        out = torch.zeros(3 * topk * num_steps, dtype=torch.int64)

        sgl_kernel.assign_draft_cache_locs_contiguous_cpu(
            *(batch.req_pool_indices, batch.req_to_token, batch.seq_lens, out, POSITIONS, topk, num_steps)
        )

        expected = [
            int(batch.req_to_token[batch.req_pool_indices[request], int(batch.seq_lens[request]) + step])
            for request in range(3)
            for step in range(topk * num_steps)
        ]
        assert out.tolist() == expected


def check_build_draft_decode_metadata() -> None:
    """A branch sees its request's tokens, then its own draft slots, which lie branch after branch."""
    for topk, num_steps in ((1, 3), (4, 2)):
        batch = random_batch(requests=3, shortest=1)

        table = sgl_kernel.build_draft_decode_metadata_cpu(
            *(batch.req_to_token, batch.req_pool_indices, batch.seq_lens, topk, num_steps, POSITIONS)
        )

        assert table.shape == (3 * topk, POSITIONS)
        for request in range(3):
            row = batch.req_to_token[batch.req_pool_indices[request]]
            after = row[int(batch.seq_lens[request]) :].tolist()
            for branch in range(topk):
                expected = batch.slots(request) + after[branch * num_steps :][:num_steps]
                assert table[request * topk + branch, : len(expected)].tolist() == expected


def check_fill_accept_out_cache_loc() -> None:
    """Slots of accepted tokens are packed; what was not accepted (-1) leaves no gap."""
    slots = torch.arange(100, 112)
    accept_index = torch.tensor([[0, 2, -1, -1], [4, -1, -1, -1], [8, 9, 10, 11]], dtype=torch.int32)
    out = torch.zeros(12, dtype=torch.int64)

    sgl_kernel.fill_accept_out_cache_loc_cpu(accept_index, slots, out)

    assert out.tolist() == [100, 102, 104, 108, 109, 110, 111, 0, 0, 0, 0, 0]


def check_copy_all_layer_kv_cache() -> None:
    """Slots move in every layer's keys and values, also where one is read that another move overwrites."""
    layers = [torch.randn(SLOTS, 2, 8), torch.randn(SLOTS, 2, 8).bfloat16(), torch.randn(SLOTS, 4, 8)]
    pointers = torch.tensor([layer.data_ptr() for layer in layers], dtype=torch.uint64)
    strides = torch.tensor([layer[0].numel() * layer.element_size() for layer in layers])
    target, source = torch.tensor([7, 8, 9, 300, 0]), torch.tensor([9, 7, 8, 299, 0])
    expected = [layer.clone() for layer in layers]
    for moved, layer in zip(expected, layers, strict=True):
        moved[target] = layer[source]

    sgl_kernel.copy_all_layer_kv_cache_cpu(pointers, strides, target, source)

    for moved, layer in zip(expected, layers, strict=True):
        assert torch.equal(layer, moved)
