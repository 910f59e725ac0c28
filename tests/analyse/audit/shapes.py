"""Tables, logs and claims as others publish them: all figures agree."""

SHAPES: dict[str, str] = {
    "markdown, other names": """
| Config | τ | ms/step | tokens/sec | Speedup |
|---|---|---|---|---|
| vanilla | — | 11.3 | 88.5 | 1.00x |
| k=1 | 1.61 | 17.9 | 89.9 | 1.02x |
| k=2 | 1.95 | 19.3 | 101.0 | 1.14x |
| k=4 | 2.31 | 22.0 | 105.0 | 1.19x |
""",
    "transposed with units in cells": """
| | baseline | 2-step | 3-step |
|---|---:|---:|---:|
| Accept length | – | 2.10 | 2.45 |
| Total cycle | 10.0ms | 15.0ms | 17.0ms |
| Target verify | – | 13.2ms | 14.6ms |
| Draft | – | 1.1ms | 1.6ms |
| tok/s | 100.0 | 139.8 | 144.3 |
""",
    "flattened onto one line": (
        "Results: | Metric | 1-Step | 3-Step | |---|---|---| | Cycle time | 12.0 ms | 15.0 ms | "
        "| Acceptance length | 1.70 | 2.40 | | Throughput | 141.5 tok/s | 159.8 tok/s | and so on."
    ),
    "csv in seconds": """
steps,topk,accept_length,step_time_s,output_tok_s
1,1,1.71,0.0121,141.3
3,1,2.42,0.0150,161.0
5,1,2.61,0.0188,138.9
""",
    "tsv with microseconds": "num_steps\taccept length\tcycle "
    "(us)\ttok/s\n1\t1.50\t9000\t166.7\n2\t1.80\t9900\t181.6\n",
    "aligned columns": """
  batch   accept len   ms/step   throughput   per user
  1       2.30         14.2      162.0        162.0
  4       2.29         16.0      572.0        143.0
  16      2.31         24.5      1508         94.3
""",
    "drafts alone, all rows": """
| steps | accept length | cycle ms | tok/s |
|---|---|---|---|
| 1 | 0.62 | 18.82 | 86.1 |
| 2 | 0.87 | 19.85 | 94.2 |
| 5 | 0.96 | 22.68 | 86.4 |
""",
    "requests in flight that nobody mentions": """
| drafter | AL | step time (ms) | aggregate tok/s |
|---|---|---|---|
| old | 2.00 | 20.0 | 3190 |
| new | 2.50 | 21.0 | 3800 |
""",
    "speed that counts prefill": """
| model | TPOT (ms) | tok/s | accept length |
|---|---|---|---|
| base | 10.1 | 86.0 | |
| eagle | 6.0 | 139.0 | 2.4 |
""",
    "iterations a second": """
| body | tok/s | accept length | steps/s |
| :--- | ---: | ---: | ---: |
| one | 41.2 | 4.54 | 9.08 |
| two | 39.1 | 4.06 | 9.63 |
""",
    "rates and positions": """
| num_speculative_tokens | Acceptance rate | Mean acceptance length |
|---|---|---|
| 3 | 61.6% | 2.847 |
| 5 | 50.4% | 3.522 |
""",
    "rates as papers define them": """
| k | acceptance rate | mean accepted tokens |
|---|---|---|
| 3 | 0.80 | 2.95 |
| 5 | 0.80 | 3.69 |
""",
    "trees without their size": """
| steps | topk | accept rate | accept length | tok/s |
|---|---|---|---|---|
| 3 | 4 | 0.27 | 2.9 | 150 |
| 5 | 8 | 0.11 | 3.6 | 161 |
""",
    "ranges": """
| num_speculative_tokens | Acceptance Rate | Mean Acceptance |
|---|---|---|
| 4 | 47-54% | 2.9-3.2 |
| 5 | 54-60% | 3.7-4.0 |
""",
    "changes against the baseline, decimal commas": """
| Checkpoint | Tok/s | Accept len | Δ tok/s |
|---|---:|---:|---:|
| ours | **123,2** | 4,24 | **+5,4%** |
| stock | 116,9 | 4,01 | — |
""",
    "bench_speculative": (
        '{"model_path": "m", "batch_size": 1, "steps": 2, "topk": 1, "num_draft_tokens": 3, '
        '"acc_length": 1.87, "step_time": 0.01985, "speed": 94.2, "completion_tokens": 4096}\n'
        '{"model_path": "m", "batch_size": 8, "steps": 3, "topk": 4, "num_draft_tokens": 8, '
        '"acc_length": 2.66, "step_time": 0.0281, "speed": 94.66, "completion_tokens": 32768}\n'
    ),
    "bench_serving": """
============ Serving Benchmark Result ============
Benchmark duration (s):                  29.11
Total generated tokens:                  2784
Request throughput (req/s):              0.34
Output token throughput (tok/s):         95.62
Concurrency:                             1.00
Accept length:                           2.46
----------------Time per Output Token-------------
Mean TPOT (ms):                          9.09
==================================================
""",
    "sglang log": (
        "server_args=ServerArgs(speculative_num_steps=2, speculative_num_draft_tokens=3)\n"
        "[2026-01-01 00:00:00 TP0] Decode batch, #running-req: 1, #token: 713, accept len: 1.87, "
        "accept rate: 0.62, cuda graph: True, gen throughput (token/s): 94.02, #queue-req: 0\n"
        "[2026-01-01 00:00:01 TP0] Decode batch, #running-req: 1, #token: 788, accept len: 1.90, "
        "accept rate: 0.63, cuda graph: True, gen throughput (token/s): 95.60, #queue-req: 0\n"
    ),
    "vllm log": (
        "INFO 05-01 14:24:50 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: 2.37, "
        "Accepted throughput: "
        "8.90 tokens/s, Drafted throughput: 19.50 tokens/s, Accepted: 89 tokens, Drafted: 195 tokens, "
        "Per-position "
        "acceptance rate: 0.600, 0.385, 0.385, Avg Draft acceptance rate: 45.6%\n"
    ),
    "banner with the bonus token": (
        "EAGLE3_PROF (400 cycles, 249 tok, no sync) Draft steps: 1.07 ms/cyc ( 5.7%) Target verify: 17.44 "
        "ms/cyc "
        "( 92.7%) Draft re-extend: 0.32 ms/cyc ( 1.7%) TOTAL: 18.82 ms/cyc Accept len: 1.62 Eff tok/s: 86.2"
    ),
    "claims in prose": (
        "Baseline: 88.8 tok/s. The 2-step server makes 94.0 tok/s, 5.9% above baseline. Verify went from "
        "28.7 ms to "
        "21.7 ms (24% less), and decoding from 71.3 tok/s to 86.7 tok/s, a 22% gain. Latency fell by over "
        "50%, from "
        "30 ms to 12 ms. Moving from batch 1 to 8 improves throughput by 40%. It reached 2.0x, from 50 "
        "tok/s to 99 tok/s. "
        "Cutting verify from 28.7 ms to 21.7 ms improved throughput by 17%."
    ),
    "a whole sweep, said to be one": """
| num_steps | tok/s |
|---|---|
| 1 | 90.1 |
| 2 | 95.2 |
| 3 | 99.3 |

All step counts from 1 to 3 were part of the sweep. This is the definitive 3-step guide to them.
""",
    "another kind of steps": """
| Seed | val_loss | Steps | ms/step | tok/s |
|---|---|---|---|---|
| 1 | 2.02 | 13688 | 45.09 | 11600000 |
| 2 | 2.03 | 13690 | 45.10 | 11600000 |
""",
}
