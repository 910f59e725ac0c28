"""Attention of new tokens to the cached keys and values of their own request."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention


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
    if key is not None and value is not None:
        k_buffer[loc] = key.view(-1, *k_buffer.shape[1:]).to(k_buffer.dtype)
        v_buffer[loc] = value.view(-1, *v_buffer.shape[1:]).to(v_buffer.dtype)
    for request, (row, length) in enumerate(zip(req_pool_indices.tolist(), seq_lens.tolist(), strict=True)):
        new = slice(request, request + 1)
        slots = req_to_token[row, :length]
        output[new] = _attend(query[new], k_buffer, v_buffer, slots, None, sm_scale)


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
    masked = 0
    requests = (req_pool_indices, seq_lens, extend_seq_lens, extend_start_loc)
    for row, length, new, start in zip(*(part.tolist() for part in requests), strict=True):
        sees = torch.ones(new, length, dtype=torch.bool)
        if tree_mask is not None:
            sees[:, length - new :] = tree_mask[masked : masked + new * new].view(new, new)
            masked += new * new
        elif is_causal:
            sees = sees.tril(length - new)
        slots = req_to_token[row, :length]
        span = slice(start, start + new)
        output[span] = _attend(query[span], k_buffer, v_buffer, slots, sees, sm_scale)


def _attend(
    query: Tensor, k_buffer: Tensor, v_buffer: Tensor, slots: Tensor, sees: Tensor | None, scale: float
) -> Tensor:
    """Return one request's attention. Shape (rows of *query*, heads, value width)."""
    keys = k_buffer.index_select(0, slots).to(query.dtype)
    values = v_buffer.index_select(0, slots).to(query.dtype)
    heads_first = (part.transpose(0, 1)[None] for part in (query, keys, values))
    attended = scaled_dot_product_attention(
        *heads_first, attn_mask=sees, scale=scale, enable_gqa=query.shape[1] != keys.shape[1]
    )
    return attended[0].transpose(0, 1)


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
