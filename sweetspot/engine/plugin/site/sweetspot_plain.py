"""The ordinary decode step inside a server that speculates: the baseline of a one-load launch.

SGLang's adaptive mode has a state of 0 steps, a one-token verify by the target's extend attention. A server
without speculation runs another graph, another attention and the sampler; so does this. Two things of
speculation stay: a request begins with a prefill of the draft's too, and its results have a cycle's form. For
`sweetspot_switch`, with SGLang from 0.5.16 to 0.5.23.
"""

import contextlib
import dataclasses
import functools
import logging
import time
from collections.abc import Callable, Iterator
from typing import Any

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
_COLLECTING = {"capture_aux_hidden_states": False, "layers_to_capture": []}  # of a model that feeds no draft

_logger = logging.getLogger(__name__)


def prepare(result: None, worker: Any) -> None:
    """Give the state of 0 steps the attention backend and CUDA graphs of a target without speculation."""
    states = worker.adaptive_controller._states if worker.adaptive_controller else {}
    if 0 not in states:
        return
    from sglang.srt.model_executor.cuda_graph_config import Backend, Phase, check_cuda_graph_backend
    from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

    began, graphs = time.monotonic(), None
    runner = worker._target_worker.model_runner
    saved = runner.spec_algorithm, runner.init_new_workspace
    with worker._override_worker_state(0, 1), _without_draft(runner.model):
        runner.spec_algorithm = SpeculativeAlgorithm.from_string(None)
        try:
            backend = runner._get_attention_backend(init_new_workspace=True)
            if not check_cuda_graph_backend(Phase.DECODE, Backend.DISABLED):
                from sglang.srt.model_executor.runner import DecodeCudaGraphRunner

                graphs = DecodeCudaGraphRunner(
                    runner, attn_backend=backend, speculative_num_steps=0, speculative_num_draft_tokens=1
                )
        finally:
            runner.spec_algorithm, runner.init_new_workspace = saved
    states[0] = dataclasses.replace(states[0], target_attn_backend=backend, target_graph_runner=graphs)
    kind = "without CUDA graphs" if graphs is None else f"with CUDA graphs of {graphs.capture_forward_mode}"
    _logger.info("ordinary decode step prepared %s in %.2f s", kind, time.monotonic() - began)


def decode(worker: Any, batch: Any, on_publish: Callable[..., None] | None = None, **_: Any) -> Any:
    """Return the result of one ordinary decode step, in the form in which a cycle returns it."""
    import torch
    from sglang.kernels.ops.speculative.cache_locs import assign_extend_cache_locs_func
    from sglang.srt.managers.utils import GenerationBatchResult
    from sglang.srt.model_executor.forward_batch_info import CaptureHiddenMode, ForwardBatch, ForwardMode
    from sglang.srt.speculative.eagle_info import EagleDraftInput

    runner, requests = worker._target_worker.model_runner, len(batch.seq_lens)
    read = [batch.seq_lens, batch.req_pool_indices, batch.spec_info.bonus_tokens]
    for tensor in read:
        if tensor.is_cuda:  # it was allocated on the scheduler's stream
            tensor.record_stream(torch.cuda.current_stream())
    lengths = batch.seq_lens + 1
    batch.out_cache_loc = assign_extend_cache_locs_func(
        req_pool_indices=batch.req_pool_indices,
        req_to_token=worker.req_to_token_pool.req_to_token,
        start_offset=batch.seq_lens,
        end_offset=lengths,
        batch_size=requests,
        draft_token_num=1,
        device=worker.device,
    )
    # The scheduler puts the batch back as it was.
    batch.input_ids = batch.spec_info.bonus_tokens.to(torch.int64)
    batch.spec_info, batch.forward_mode, batch.seq_lens = None, ForwardMode.DECODE, lengths
    if batch.seq_lens_cpu is not None:
        batch.seq_lens_cpu = batch.seq_lens_cpu + 1
    batch.seq_lens_sum = None  # made up from seq_lens_cpu
    forward_batch = ForwardBatch.init_new(
        batch, runner, capture_hidden_mode=CaptureHiddenMode.NULL, return_hidden_states_before_norm=False
    )
    with _without_draft(runner.model):
        output = runner.forward(forward_batch)
    tokens = runner.sample(output.logits_output, forward_batch)
    if batch.return_logprob:  # the scheduler looks for one row a request
        output.logits_output.next_token_logprobs = output.logits_output.next_token_logprobs.unsqueeze(1)
    if on_publish is not None:
        on_publish(lengths)
    result = GenerationBatchResult(
        logits_output=output.logits_output,
        next_token_ids=tokens,
        can_run_cuda_graph=output.can_run_graph,
        speculative_num_draft_tokens=1,
        next_draft_input=EagleDraftInput(bonus_tokens=tokens.to(torch.int32)),
        accept_lens=torch.ones(requests, dtype=torch.int32, device=worker.device),
        new_seq_lens=lengths,
        extra_keep_alive_refs=[forward_batch, *read],
    )
    worker._stub_skipped_draft_extend(batch, result)
    _hand_on(runner, worker._draft_worker.draft_runner)
    return result


@contextlib.contextmanager
def _without_draft(model: Any) -> Iterator[None]:
    """Keep *model* from collecting hidden states for a draft; without a graph it asks at each forward."""
    saved = [(attributes, name, attributes[name]) for attributes, name in _collectors(model)]
    for attributes, name, _ in saved:
        attributes[name] = _COLLECTING[name]
    try:
        yield
    finally:
        for attributes, name, value in saved:
            attributes[name] = value


@functools.cache
def _collectors(model: Any) -> list[tuple[dict[str, Any], str]]:
    """Return where the modules of *model* keep whether they collect, and which layers."""
    return [
        (vars(module), name) for module in model.modules() for name in _COLLECTING if name in vars(module)
    ]


def _hand_on(target: Any, draft: Any) -> None:
    """Let the scheduler wait for the *target*'s last reading, where it expects the *draft*'s."""
    for name in _READ_DONE:
        if hasattr(target, name):
            setattr(draft, name, getattr(target, name))
            setattr(target, name, None)
