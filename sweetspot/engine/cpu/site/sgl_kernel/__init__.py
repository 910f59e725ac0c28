"""SGLang's CPU kernels in plain PyTorch, as far as a dense model with EAGLE-3 calls them.

Stands in for a package that no index carries. Names and arguments are those of the calls in SGLang 0.5.23.
Any other name can be imported, since SGLang imports more than it calls, and raises when it is called.
"""

from collections.abc import Callable
from typing import Never

import torch

from sgl_kernel.attention import decode_attention_cpu, extend_attention_cpu
from sgl_kernel.cache_slots import (
    assign_draft_cache_locs_contiguous_cpu,
    assign_extend_cache_locs_cpu,
    assign_req_to_token_pool_cpu,
    build_draft_decode_metadata_cpu,
    copy_all_layer_kv_cache_cpu,
    fill_accept_out_cache_loc_cpu,
)
from sgl_kernel.tree import build_tree_kernel_efficient_cpu
from sgl_kernel.verify import fill_bonus_tokens_cpu, verify_tree_greedy_cpu

__all__ = [
    "assign_draft_cache_locs_contiguous_cpu",
    "assign_extend_cache_locs_cpu",
    "assign_req_to_token_pool_cpu",
    "build_draft_decode_metadata_cpu",
    "build_tree_kernel_efficient_cpu",
    "copy_all_layer_kv_cache_cpu",
    "decode_attention_cpu",
    "extend_attention_cpu",
    "fill_accept_out_cache_loc_cpu",
    "fill_bonus_tokens_cpu",
    "verify_tree_greedy_cpu",
]

# SGLang calls these two as torch.ops.sgl_kernel.NAME. Nothing is traced here, so an attribute is enough.
for _op in (decode_attention_cpu, extend_attention_cpu):
    setattr(torch.ops.sgl_kernel, _op.__name__, _op)


def __getattr__(name: str) -> Callable[..., Never]:
    if name.startswith("__"):
        raise AttributeError(name)

    def absent(*args: object, **kwargs: object) -> Never:
        raise NotImplementedError(
            f"sgl_kernel.{name}: called, expected only the ops of a dense model with EAGLE-3; "
            f"serve this model on a GPU"
        )

    return absent
