"""Attention of new tokens to the cached keys and values of their own request."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor
from torch.nn.functional import pad, scaled_dot_product_attention


def decode_attention_cpu(
    query: Tensor,
    k_buffer: Tensor,
    v_buffer: Tensor,
    k_scale: float,
    v_scale: float,
    output: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    loc: Tensor,
    attn_logits: Tensor,
    req_to_token: Tensor,
    req_pool_indices: Tensor,
    seq_lens: Tensor,
    sm_scale: float,
    logit_cap: float,
    is_cross_attn: bool,
    sliding_window_size: int,
    encoder_lens: Tensor | None,
    sinks: Tensor | None,
) -> None:
    """Cache one new token a request, then attend from it to the whole sequence, itself included.

    Args:
        query: Shape (requests, heads, width).
        k_buffer: Keys of all requests. Shape (slots, kv_heads, width).
        v_buffer: Values of all requests. Shape (slots, kv_heads, value width).
        k_scale: 1.
        v_scale: 1.
        output: Written. Shape (requests, heads, value width).
        key: Keys of the new tokens, None if cached already. Shape (requests, kv_heads, width), or flat.
        value: Their values.
        loc: Their slots. Shape (requests,).
        attn_logits: Room for the kernel's partial results; not needed.
        req_to_token: Slot of each request's tokens. Shape (rows, positions).
        req_pool_indices: Row of each request. Shape (requests,).
        seq_lens: Tokens of each request, the new one included. Shape (requests,).
        sm_scale: Factor of the scores.
        logit_cap: 0.
        is_cross_attn: False.
        sliding_window_size: 0.
        encoder_lens: None.
        sinks: None.
    """
    _refuse(k_scale, v_scale, logit_cap, is_cross_attn, sliding_window_size, encoder_lens, sinks)
    for buffer, new in ((k_buffer, key), (v_buffer, value)):
        if new is not None:
            buffer[loc] = new.to(buffer.dtype).reshape(loc.numel(), *buffer.shape[1:])
    sequences = _sequences(k_buffer, v_buffer, req_to_token, req_pool_indices, seq_lens)
    for request, (keys, values) in enumerate(sequences):
        output[request] = _attend(query[request].unsqueeze(0), keys, values, None, sm_scale)


def extend_attention_cpu(
    query: Tensor,
    key: Tensor | None,
    value: Tensor | None,
    output: Tensor,
    k_buffer: Tensor,
    v_buffer: Tensor,
    k_scale: float,
    v_scale: float,
    req_to_token: Tensor,
    req_pool_indices: Tensor,
    seq_lens: Tensor,
    extend_seq_lens: Tensor,
    extend_start_loc: Tensor,
    max_len_extend: int,
    sm_scale: float,
    logit_cap: float,
    is_cross_attn: bool,
    sliding_window_size: int,
    encoder_lens: Tensor | None,
    sinks: Tensor | None,
    tree_mask: Tensor | None,
    is_causal: bool,
) -> None:
    """Attend from each request's last tokens, cached already, to its whole sequence.

    Args: as of `decode_attention_cpu`, and
        query: Packed. Shape (new tokens of all requests, heads, width).
        key: Of the new tokens; not needed, the cache has them.
        value: The same.
        output: Written. Shape (new tokens of all requests, heads, value width).
        extend_seq_lens: New tokens of each request. Shape (requests,).
        extend_start_loc: Where they begin in `query`. Shape (requests,).
        max_len_extend: The most new tokens of a request; not needed.
        tree_mask: True where a new token sees another, request after request. Flat. None without a tree.
        is_causal: Without a tree, whether a new token sees only those up to itself.
    """
    _refuse(k_scale, v_scale, logit_cap, is_cross_attn, sliding_window_size, encoder_lens, sinks)
    sequences = _sequences(k_buffer, v_buffer, req_to_token, req_pool_indices, seq_lens)
    counts, starts = extend_seq_lens.tolist(), extend_start_loc.tolist()
    trees = _trees(counts, tree_mask)
    for start, new, tree, (keys, values) in zip(starts, counts, trees, sequences, strict=True):
        before = len(keys) - new
        if tree is None:
            sees = torch.ones(new, len(keys), dtype=torch.bool)
            sees = sees.tril(before) if is_causal else sees
        else:
            sees = pad(tree, (before, 0), value=True)
        attended = _attend(query.narrow(0, start, new), keys, values, sees, sm_scale)
        output.narrow(0, start, new).copy_(attended)


def _trees(counts: list[int], tree_mask: Tensor | None) -> Sequence[Tensor | None]:
    """Return which new tokens see which. Of each request; shape (count, count), or None without a tree."""
    if tree_mask is None:
        return [None] * len(counts)
    areas = [count * count for count in counts]
    flat = tree_mask[: sum(areas)].split(areas)
    return [tree.view(count, count) for tree, count in zip(flat, counts, strict=True)]


def _sequences(
    k_buffer: Tensor, v_buffer: Tensor, req_to_token: Tensor, req_pool_indices: Tensor, seq_lens: Tensor
) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield each request's keys and values, in the order of its tokens. Shapes (tokens, kv_heads, width)."""
    for row, length in zip(req_pool_indices.tolist(), seq_lens.tolist(), strict=True):
        slots = req_to_token[row, :length]
        yield k_buffer.index_select(0, slots), v_buffer.index_select(0, slots)


def _attend(query: Tensor, keys: Tensor, values: Tensor, sees: Tensor | None, scale: float) -> Tensor:
    """Return one request's attention. Shape (rows of *query*, heads, value width)."""
    batch_of_one = [part.to(query.dtype).unsqueeze(0).transpose(1, 2) for part in (query, keys, values)]
    grouped = query.size(1) > keys.size(1)
    attended = scaled_dot_product_attention(*batch_of_one, attn_mask=sees, scale=scale, enable_gqa=grouped)
    return attended.squeeze(0).transpose(0, 1)


def _refuse(
    k_scale: float,
    v_scale: float,
    logit_cap: float,
    is_cross_attn: bool,
    sliding_window_size: int,
    encoder_lens: Tensor | None,
    sinks: Tensor | None,
) -> None:
    asked = {
        "a scaled cache": k_scale != 1 or v_scale != 1,
        "a logit cap": logit_cap > 0,
        "cross attention": is_cross_attn or encoder_lens is not None,
        "a sliding window": sliding_window_size > 0,
        "attention sinks": sinks is not None,
    }
    for feature, wanted in asked.items():
        if wanted:
            raise NotImplementedError(
                f"sgl_kernel attention: {feature} was asked for, expected dense attention; "
                f"serve this model on a GPU"
            )
