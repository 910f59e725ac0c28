"""Which slot of the key-value cache holds which token.

`req_to_token[row, position]` is the slot of a request's token, the same in every layer; `req_pool_indices`
says which row belongs to which request. Slots of a batch are packed: those of request 0, then those of
request 1, and so on.
"""

import ctypes
from collections.abc import Iterator

import torch
from torch import Tensor


def assign_req_to_token_pool_cpu(
    req_pool_indices: Tensor,
    req_to_token: Tensor,
    start_offset: Tensor,
    end_offset: Tensor,
    out_cache_loc: Tensor,
    pool_len: int,
) -> None:
    """Write packed slots into each request's positions from `start_offset` up to `end_offset`."""
    for row, positions, packed in _spans(req_pool_indices, start_offset, end_offset):
        req_to_token[row, positions] = out_cache_loc[packed]


def assign_extend_cache_locs_cpu(
    req_pool_indices: Tensor,
    req_to_token: Tensor,
    start_offset: Tensor,
    end_offset: Tensor,
    out_cache_loc: Tensor,
    pool_len: int,
) -> None:
    """Read each request's slots from `start_offset` up to `end_offset` into `out_cache_loc`, packed."""
    for row, positions, packed in _spans(req_pool_indices, start_offset, end_offset):
        out_cache_loc[packed] = req_to_token[row, positions]


def assign_draft_cache_locs_contiguous_cpu(
    req_pool_indices: Tensor,
    req_to_token: Tensor,
    seq_lens: Tensor,
    out_cache_loc: Tensor,
    pool_len: int,
    topk: int,
    num_steps: int,
) -> None:
    """Read the `topk * num_steps` slots after each request's sequence into `out_cache_loc`, packed."""
    end = seq_lens + topk * num_steps
    assign_extend_cache_locs_cpu(req_pool_indices, req_to_token, seq_lens, end, out_cache_loc, pool_len)


def build_draft_decode_metadata_cpu(
    req_to_token: Tensor,
    req_pool_indices: Tensor,
    seq_lens: Tensor,
    topk: int,
    num_steps: int,
    pool_len: int,
) -> Tensor:
    """Return a `req_to_token` with a row for each branch of each request's draft.

    A row holds the request's slots, then the branch's own `num_steps` slots.

    Returns:
        Slots. Shape (requests * topk, pool_len), zero where no token is.
    """
    table = req_to_token.new_zeros(req_pool_indices.numel(), topk, pool_len)
    for branches, row, length in zip(table, req_pool_indices.tolist(), seq_lens.tolist(), strict=True):
        known, drafted = req_to_token[row, : length + topk * num_steps].tensor_split([length])
        branches[:, :length] = known
        branches[:, length : length + num_steps] = drafted.view(topk, num_steps)
    return table.flatten(0, 1)


def fill_accept_out_cache_loc_cpu(
    accept_index: Tensor, out_cache_loc: Tensor, accept_out_cache_loc: Tensor
) -> None:
    """Write the slots of the accepted tokens, packed; `accept_index` holds -1 where none was accepted."""
    slots = out_cache_loc.index_select(0, accept_index.masked_select(accept_index.ge(0)))
    accept_out_cache_loc.narrow(0, 0, slots.numel()).copy_(slots)


def copy_all_layer_kv_cache_cpu(data_ptrs: Tensor, strides: Tensor, tgt_loc: Tensor, src_loc: Tensor) -> None:
    """Copy slots `src_loc` to slots `tgt_loc` in every buffer, as if all were read before any is written.

    Args:
        data_ptrs: Address of each layer's keys and values. Shape (buffers,).
        strides: Bytes of a slot in each. Shape (buffers,).
        tgt_loc: Slots to write. Shape (tokens,).
        src_loc: Slots to read. Shape (tokens,).
    """
    if tgt_loc.numel() == 0:
        return
    slots = 1 + int(torch.maximum(tgt_loc, src_loc).max())
    for address, slot_bytes in zip(data_ptrs.tolist(), strides.tolist(), strict=True):
        memory = (ctypes.c_uint8 * (slots * slot_bytes)).from_address(address)
        by_slot = torch.frombuffer(memory, dtype=torch.uint8).view(slots, slot_bytes)
        by_slot[tgt_loc] = by_slot[src_loc]


def _spans(rows: Tensor, starts: Tensor, ends: Tensor) -> Iterator[tuple[int, slice, slice]]:
    """Yield each request's row, its positions, and where their slots lie among the packed ones."""
    packed = 0
    for row, start, end in zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True):
        yield row, slice(start, end), slice(packed, packed + end - start)
        packed += end - start
