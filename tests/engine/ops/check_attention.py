"""Attention against a softmax written out head by head, in double precision."""

import math
from itertools import compress

import sgl_kernel
import torch
from batch import SLOTS, Batch, random_batch
from torch import Tensor

WIDTH = 16
SCALE = 0.3
HEADS = [(4, 4), (4, 2), (8, 1)]  # query heads, key-value heads
CLOSE = {torch.float32: 1e-5, torch.bfloat16: 2e-2}


def check_decode_of_several_requests() -> None:
    """One new token a request sees its whole sequence, itself included, and is cached in its slot."""
    for heads, kv_heads in HEADS:
        for dtype, close in CLOSE.items():
            batch = random_batch(requests=5, shortest=1)
            query, new_keys, new_values = (_random(5, n, dtype) for n in (heads, kv_heads, kv_heads))
            keys, values = _random(SLOTS, kv_heads, dtype), _random(SLOTS, kv_heads, dtype)
            loc = torch.tensor([batch.slots(request)[-1] for request in range(5)])
            expected_keys, expected_values = keys.clone(), values.clone()
            for request in range(5):
                expected_keys[loc[request]] = new_keys[request]
                expected_values[loc[request]] = new_values[request]

            output = torch.full_like(query, math.nan)
            _decode(batch, query, keys, values, output, new_keys.flatten(1), new_values.flatten(1), loc)

            assert torch.equal(keys, expected_keys) and torch.equal(values, expected_values)
            for request in range(5):
                seen = batch.slots(request)
                expected = _by_hand(query[request], keys[seen], values[seen])
                torch.testing.assert_close(output[request].double(), expected, rtol=0, atol=close)


def check_decode_of_what_is_cached_already() -> None:
    """Without new keys and values the cache stays as it was."""
    batch = random_batch(requests=2, shortest=3)
    query, keys, values = _random(2, 4), _random(SLOTS, 2), _random(SLOTS, 2)
    before = keys.clone(), values.clone()
    output = torch.full_like(query, math.nan)

    _decode(batch, query, keys, values, output, None, None, torch.zeros(2, dtype=torch.int64))

    assert torch.equal(keys, before[0]) and torch.equal(values, before[1])
    expected = _by_hand(query[1], keys[batch.slots(1)], values[batch.slots(1)])
    torch.testing.assert_close(output[1].double(), expected, rtol=0, atol=1e-5)


def check_extend_causal() -> None:
    """A prompt, a prompt after a cached prefix and a chain to verify: each token sees those up to itself."""
    for heads, kv_heads in HEADS:
        for dtype, close in CLOSE.items():
            _check_extend(heads, kv_heads, dtype, close, is_causal=True)


def check_extend_not_causal() -> None:
    """An encoder's tokens see one another, later ones too."""
    _check_extend(4, 2, torch.float32, 1e-5, is_causal=False)


def check_extend_tree() -> None:
    """With a tree's mask each new token sees the prefix and those new tokens that the mask names."""
    for heads, kv_heads in HEADS:
        batch = random_batch(requests=3, shortest=9)
        nodes = 6
        masks = (torch.rand(3, nodes, nodes) < 0.5) | torch.eye(nodes, dtype=torch.bool)
        query, keys, values = _random(3 * nodes, heads), _random(SLOTS, kv_heads), _random(SLOTS, kv_heads)
        output = torch.full_like(query, math.nan)

        _extend(batch, query, keys, values, output, [nodes] * 3, masks.flatten(), is_causal=True)

        for request in range(3):
            slots = batch.slots(request)
            prefix, new = slots[:-nodes], slots[-nodes:]
            for node in range(nodes):
                visible = masks[request, node].tolist()
                seen = prefix + list(compress(new, visible))
                row = request * nodes + node
                expected = _by_hand(query[row], keys[seen], values[seen])
                torch.testing.assert_close(output[row].double(), expected, rtol=0, atol=1e-5)


def check_what_is_not_dense_raises() -> None:
    """A feature of another kind of model stops the server with its name; nothing is computed without it."""
    plain = (1.0, 1.0, 0.0, False, 0, None, None)
    some = torch.ones(1)
    asked = {
        "a scaled cache": (2.0, *plain[1:]),
        "a logit cap": (*plain[:2], 30.0, *plain[3:]),
        "cross attention": (*plain[:3], True, *plain[4:]),
        "a sliding window": (*plain[:4], 128, *plain[5:]),
        "attention sinks": (*plain[:6], some),
    }
    for feature, (k_scale, v_scale, *rest) in asked.items():
        empty = torch.empty(0, 4, WIDTH)
        none = torch.empty(0, dtype=torch.int64)
        try:
            sgl_kernel.decode_attention_cpu(
                *(empty, empty, empty, k_scale, v_scale, empty, None, None),
                *(none, empty, none, none, none, SCALE, *rest),
            )
        except NotImplementedError as error:
            assert feature in str(error), error
        else:
            raise AssertionError(f"{feature} was accepted")


def _check_extend(heads: int, kv_heads: int, dtype: torch.dtype, close: float, is_causal: bool) -> None:
    batch = random_batch(requests=4, shortest=8)
    new_tokens = [int(batch.seq_lens[0]), 1, 4, 7]  # a whole prompt; then after a prefix
    query = _random(sum(new_tokens), heads, dtype)
    keys, values = _random(SLOTS, kv_heads, dtype), _random(SLOTS, kv_heads, dtype)
    output = torch.full_like(query, math.nan)

    _extend(batch, query, keys, values, output, new_tokens, None, is_causal)

    row = 0
    for request, new in enumerate(new_tokens):
        slots = batch.slots(request)
        for token in range(new):
            seen = slots[: len(slots) - new + token + 1] if is_causal else slots
            expected = _by_hand(query[row], keys[seen], values[seen])
            torch.testing.assert_close(output[row].double(), expected, rtol=0, atol=close)
            row += 1


def _random(rows: int, heads: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(rows, heads, WIDTH).to(dtype)


def _by_hand(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Return the attention of one token. Shape (heads, width)."""
    heads, kv_heads = query.shape[0], keys.shape[1]
    rows = []
    for head in range(heads):
        kv_head = head // (heads // kv_heads)
        scores = [SCALE * float(query[head].double() @ key.double()) for key in keys[:, kv_head]]
        weights = [math.exp(score) for score in scores]
        row = sum(weight * value.double() for weight, value in zip(weights, values[:, kv_head], strict=True))
        rows.append(row / sum(weights))
    return torch.stack(rows)


def _decode(
    batch: Batch,
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    output: Tensor,
    new_keys: Tensor | None,
    new_values: Tensor | None,
    loc: Tensor,
) -> None:
    sgl_kernel.decode_attention_cpu(
        *(query, keys, values, 1.0, 1.0, output, new_keys, new_values, loc, torch.empty(0)),
        *(batch.req_to_token, batch.req_pool_indices, batch.seq_lens, SCALE, 0.0, False, 0, None, None),
    )


def _extend(
    batch: Batch,
    query: Tensor,
    keys: Tensor,
    values: Tensor,
    output: Tensor,
    new_tokens: list[int],
    tree_mask: Tensor | None,
    is_causal: bool,
) -> None:
    new = torch.tensor(new_tokens, dtype=torch.int32)
    start = new.cumsum(0).int() - new
    sgl_kernel.extend_attention_cpu(
        *(query, None, None, output, keys, values, 1.0, 1.0),
        *(batch.req_to_token, batch.req_pool_indices, batch.seq_lens, new, start, max(new_tokens)),
        *(SCALE, 0.0, False, 0, None, None, tree_mask, is_causal),
    )
