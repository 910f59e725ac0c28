"""Every op is called by the installed SGLang, with arguments that it takes."""

import ast
import importlib.util
import inspect
from pathlib import Path

import sgl_kernel
import torch

SPECULATIVE = "kernels/ops/speculative"
CALLS = {  # op: where SGLang calls it, and under what name
    "assign_draft_cache_locs_contiguous_cpu": (f"{SPECULATIVE}/cache_locs.py", None),
    "assign_extend_cache_locs_cpu": (f"{SPECULATIVE}/cache_locs.py", None),
    "assign_req_to_token_pool_cpu": ("srt/mem_cache/allocation.py", None),
    "build_draft_decode_metadata_cpu": (
        "srt/layers/attention/intel_amx_backend.py",
        "self.build_draft_decode_metadata",
    ),
    "build_tree_kernel_efficient_cpu": (f"{SPECULATIVE}/spec_tree.py", "sgl_build_tree_kernel_efficient_cpu"),
    "copy_all_layer_kv_cache_cpu": ("kernels/ops/kvcache/cache_move.py", None),
    "decode_attention_cpu": ("srt/layers/attention/intel_amx_backend.py", "self.decode_attention_fwd"),
    "extend_attention_cpu": ("srt/layers/attention/intel_amx_backend.py", "self.extend_attention_fwd"),
    "fill_accept_out_cache_loc_cpu": (f"{SPECULATIVE}/eagle.py", None),
    "fill_bonus_tokens_cpu": (f"{SPECULATIVE}/eagle.py", None),
    "verify_tree_greedy_cpu": (f"{SPECULATIVE}/spec_tree.py", "sgl_verify_tree_greedy_cpu"),
}


def check_every_call_fits() -> None:
    """Each call in SGLang's source binds to the op's parameters."""
    root = Path(importlib.util.find_spec("sglang").submodule_search_locations[0])
    assert set(CALLS) == set(sgl_kernel.__all__)
    for op, (file, name) in CALLS.items():
        signature = inspect.signature(getattr(sgl_kernel, op))
        calls = [
            node
            for node in ast.walk(ast.parse((root / file).read_text()))
            if isinstance(node, ast.Call) and ast.unparse(node.func) == (name or op)
        ]
        assert calls, f"{file}: no call of {name or op}"
        for call in calls:
            signature.bind(*call.args, **{word.arg: word.value for word in call.keywords})


def check_attention_is_a_torch_op() -> None:
    """SGLang finds the two attention ops under torch.ops."""
    assert torch.ops.sgl_kernel.decode_attention_cpu is sgl_kernel.decode_attention_cpu
    assert torch.ops.sgl_kernel.extend_attention_cpu is sgl_kernel.extend_attention_cpu


def check_another_op_raises_when_called() -> None:
    """What is not implemented can be imported; called, it says its name."""
    from sgl_kernel import fused_experts_cpu
    from sgl_kernel.speculative import reconstruct_indices_from_tree_mask

    for op, name in (
        (fused_experts_cpu, "fused_experts_cpu"),
        (reconstruct_indices_from_tree_mask, "reconstruct_indices_from_tree_mask"),
    ):
        try:
            op(1, key=2)
        except NotImplementedError as error:
            assert f"sgl_kernel.{name}" in str(error)
        else:
            raise AssertionError(f"{name} returned")
