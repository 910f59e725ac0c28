"""The ordinary decode step inside a server that speculates: the baseline of a one-load launch.

SGLang's adaptive mode has a state of 0 steps, a one-token verify by the target's extend attention. A server
without speculation runs another graph, another attention and the sampler; so does this. Two things of
speculation stay: a request begins with a prefill of the draft's too, and its results have a cycle's form. For
`sweetspot_switch`, with SGLang from 0.5.16 to 0.5.23.
"""

import dataclasses
import logging
import time
from collections.abc import Callable
from typing import Any

from sweetspot_target import without_draft, without_speculation

NEEDED = (
    "sglang.kernels.ops.speculative.cache_locs.assign_extend_cache_locs_func",
    "sglang.srt.managers.utils.GenerationBatchResult",
    "sglang.srt.model_executor.cuda_graph_config.check_cuda_graph_backend",
    "sglang.srt.model_executor.forward_batch_info.ForwardBatch.init_new",
    "sglang.srt.model_executor.model_runner.ModelRunner._get_attention_backend",
    "sglang.srt.model_executor.runner.DecodeCudaGraphRunner",
    "sglang.srt.speculative.eagle_info.EagleDraftInput",
    "sglang.srt.speculative.eagle_worker_v2.EAGLEWorkerV2._override_worker_state",
    "sglang.srt.speculative.eagle_worker_v2.EAGLEWorkerV2._stub_skipped_draft_extend",
    "sglang.srt.speculative.spec_info.SpeculativeAlgorithm.from_string",
)
_READ_DONE = ("war_fastpath_read_done_event", "shared_read_done_event")  # of a model runner: 0.5.16, 0.5.23

_logger = logging.getLogger(__name__)


def prepare(result: None, worker: Any) -> None:
    """Give the state of 0 steps the attention backend and CUDA graphs of a target without speculation."""
    states = worker.adaptive_controller._states if worker.adaptive_controller else {}
    if 0 not in states:
        return
    began = time.monotonic()
    target = worker._target_worker.model_runner
    with worker._override_worker_state(0, 1), without_draft(target.model), without_speculation(target):
        backend = target._get_attention_backend(init_new_workspace=True)
        graphs = _capture(target, backend)
    states[0] = dataclasses.replace(states[0], target_attn_backend=backend, target_graph_runner=graphs)
    kind = "without CUDA graphs" if graphs is None else f"with CUDA graphs of {graphs.capture_forward_mode}"
    _logger.info("ordinary decode step prepared %s in %.2f s", kind, time.monotonic() - began)


def decode(worker: Any, batch: Any, on_publish: Callable[..., None] | None = None, **_: Any) -> Any:
    """Return the result of one ordinary decode step, in the form in which a cycle returns it."""
    import torch
    from sglang.srt.managers.utils import GenerationBatchResult
    from sglang.srt.speculative.eagle_info import EagleDraftInput

    target, requests = worker._target_worker.model_runner, len(batch.seq_lens)
    read = _read(batch)
    lengths = _make_ordinary(batch, worker)
    forward_batch, output, tokens = _step(target, batch)
    if on_publish is not None:
        on_publish(lengths)
    result = GenerationBatchResult(
        next_token_ids=tokens,
        accept_lens=torch.ones(requests, dtype=torch.int32, device=worker.device),
        next_draft_input=EagleDraftInput(bonus_tokens=tokens.to(torch.int32)),
        new_seq_lens=lengths,
        logits_output=output.logits_output,
        speculative_num_draft_tokens=1,
        can_run_cuda_graph=output.can_run_graph,
        extra_keep_alive_refs=[*read, forward_batch],
    )
    worker._stub_skipped_draft_extend(batch, result)
    _hand_on(target, worker._draft_worker.draft_runner)
    return result


def _read(batch: Any) -> list[Any]:
    """Return the tensors of *batch* that this stream reads, and let their allocator know."""
    import torch

    tensors = [batch.seq_lens, batch.req_pool_indices, batch.spec_info.bonus_tokens]
    for tensor in tensors:
        if tensor.is_cuda:  # it was allocated on the scheduler's stream
            tensor.record_stream(torch.cuda.current_stream())
    return tensors


def _make_ordinary(batch: Any, worker: Any) -> Any:
    """Turn *batch* into one of ordinary decoding, whose input is the last tokens; return its new lengths.

    The scheduler puts the batch back as it was.
    """
    import torch
    from sglang.kernels.ops.speculative import cache_locs
    from sglang.srt.model_executor.forward_batch_info import ForwardMode

    lengths = batch.seq_lens + 1
    batch.out_cache_loc = cache_locs.assign_extend_cache_locs_func(
        req_to_token=worker.req_to_token_pool.req_to_token,
        req_pool_indices=batch.req_pool_indices,
        draft_token_num=1,
        batch_size=len(lengths),
        start_offset=batch.seq_lens,
        end_offset=lengths,
        device=worker.device,
    )
    batch.input_ids = batch.spec_info.bonus_tokens.to(torch.int64)
    batch.forward_mode = ForwardMode.DECODE
    batch.spec_info = None
    batch.seq_lens = lengths
    batch.seq_lens_sum = None  # made up from seq_lens_cpu
    if batch.seq_lens_cpu is not None:
        batch.seq_lens_cpu = batch.seq_lens_cpu + 1
    return lengths


def _step(target: Any, batch: Any) -> tuple[Any, Any, Any]:
    """Return what the *target* was given, what it returned, and the token of each request."""
    from sglang.srt.model_executor.forward_batch_info import CaptureHiddenMode, ForwardBatch

    options = {"capture_hidden_mode": CaptureHiddenMode.NULL, "return_hidden_states_before_norm": False}
    forward_batch = ForwardBatch.init_new(batch, target, **options)
    with without_draft(target.model):
        output = target.forward(forward_batch)
    logits = output.logits_output
    tokens = target.sample(logits, forward_batch)
    if batch.return_logprob:  # the scheduler looks for one row a request
        logits.next_token_logprobs = logits.next_token_logprobs.unsqueeze(1)
    return forward_batch, output, tokens


def _capture(target: Any, backend: Any) -> Any:
    """Return CUDA graphs of ordinary decode steps by *backend*, None if the server runs without graphs."""
    from sglang.srt.model_executor import cuda_graph_config as config

    if config.check_cuda_graph_backend(config.Phase.DECODE, config.Backend.DISABLED):
        return None
    from sglang.srt.model_executor.runner import DecodeCudaGraphRunner

    return DecodeCudaGraphRunner(
        target, attn_backend=backend, speculative_num_draft_tokens=1, speculative_num_steps=0
    )


def _hand_on(target: Any, draft: Any) -> None:
    """Let the scheduler wait for the *target*'s last reading, where it expects the *draft*'s."""
    for name in _READ_DONE:
        if hasattr(target, name):
            setattr(draft, name, getattr(target, name))
            setattr(target, name, None)
