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
    table = torch.zeros(req_pool_indices.numel() * topk, pool_len, dtype=req_to_token.dtype)
    lengths = [length for length in seq_lens.tolist() for _ in range(topk)]
    rows = [row for row in req_pool_indices.tolist() for _ in range(topk)]
    for branch, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        drafted = length + branch % topk * num_steps
        table[branch, :length] = req_to_token[row, :length]
        table[branch, length : length + num_steps] = req_to_token[row, drafted : drafted + num_steps]
    return table


def fill_accept_out_cache_loc_cpu(
    accept_index: Tensor, out_cache_loc: Tensor, accept_out_cache_loc: Tensor
) -> None:
    """Write the slots of the accepted tokens, packed; `accept_index` holds -1 where none was accepted."""
    accepted = accept_index[accept_index >= 0]
    accept_out_cache_loc[: accepted.numel()] = out_cache_loc[accepted]


def copy_all_layer_kv_cache_cpu(data_ptrs: Tensor, strides: Tensor, tgt_loc: Tensor, src_loc: Tensor) -> None:
    """Copy slots `src_loc` to slots `tgt_loc` in every buffer, as if all were read before any is written.

    Args:
        data_ptrs: Address of each layer's keys and values. Shape (buffers,).
        strides: Bytes of a slot in each. Shape (buffers,).
        tgt_loc: Slots to write. Shape (tokens,).
        src_loc: Slots to read. Shape (tokens,).
    """
    moves = [(to, of) for to, of in zip(tgt_loc.tolist(), src_loc.tolist(), strict=True) if to != of]
    for buffer, slot_bytes in zip(data_ptrs.tolist(), strides.tolist(), strict=True):
        read = [ctypes.string_at(buffer + of * slot_bytes, slot_bytes) for _, of in moves]
        for (to, _), content in zip(moves, read, strict=True):
            ctypes.memmove(buffer + to * slot_bytes, content, slot_bytes)


def _spans(rows: Tensor, starts: Tensor, ends: Tensor) -> Iterator[tuple[int, slice, slice]]:
    """Yield each request's row, its positions, and where their slots lie among the packed ones."""
    packed = 0
    for row, start, end in zip(rows.tolist(), starts.tolist(), ends.tolist(), strict=True):
        yield row, slice(start, end), slice(packed, packed + end - start)
        packed += end - start
