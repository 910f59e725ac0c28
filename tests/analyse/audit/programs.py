"""More shapes: markup, other languages, what programs print: all figures agree."""


def _decode(length: float, rate: float) -> str:
    """Return a line of SGLang's log."""
    return (
        f"[2026-02-03 10:00:00 TP0] Decode batch. #running-req: 1, #token: 412, accept len: {length:.2f}, "
        f"accept rate: {rate:.2f}, cuda graph: True, gen throughput (token/s): 150.1, #queue-req: 0, \n"
    )


SHAPES: dict[str, str] = {
    "html, names in the second line of the heading": (
        "<p>Chat</p><table><thead><tr><th rowspan='2'>Drafter</th><th colspan='2'>Chat</th>"
        "<th colspan='2'>Code</th></tr>\n<tr><th>tok/s</th><th>Speedup</th>"
        "<th>tok/s</th><th>Speedup</th></tr></thead>\n"
        "<tr><td>baseline</td><td>50.0</td><td>1.00x</td><td>40.0</td><td>1.00x</td></tr>\n"
        "<tr><td><b>small</b></td><td>75.0</td><td>1.50x</td><td>68.0</td><td>1.70x</td></tr>\n"
        "<tr><td>large</td><td>90.0</td><td>1.80x</td><td>84.0</td><td><em>2.10x</em></td></tr></table>\n"
    ),
    "latex": r"""\begin{tabular}{lrrr}
\toprule
Drafter & $\tau$ & Throughput (tok/s) & Speedup \\
\midrule
vanilla & -- & 61.2\(\pm\)0.4 & 1.00\(\times\) \\
chain & 2.11 & 97.9\(\pm\)1.1 & 1.60\(\times\) \\
\textbf{tree} & \textbf{2.75} & \textbf{115.7} & \textbf{1.89\(\times\)} \\
\bottomrule
\end{tabular}
""",
    "chinese headings": """
| 配置 | 吞吐量（tok/s） | 加速比 | 平均接受长度 | 每步耗时（ms） |
|---|---|---|---|---|
| 基线 | 72.0 | 1.00× | — | 13.9 |
| 2 步 | 101.5 | 1.41× | 1.88 | 18.5 |
| 4 步 | 112.3 | **1.56×** | 2.30 | 20.5 |
""",
    "factors in brackets": """
| task | plain tok/s | n=1 | n=2 |
|---|---|---|---|
| code | 31.0 | 39.6 (1.28x) | 45.6 (1.47x) |
| story | 30.7 | 40.7 (1.33x) | 39.8 (1.30x) |
| math | 30.1 | 42.1 (1.40x) | 48.2 (1.60x) |
""",
    "means of a row": """
| Drafter | chat | code | math | Avg. |
|---|---|---|---|---|
| one | 3.12 | 3.96 | 4.08 | 3.72 |
| two | 2.75 | 3.10 | 3.30 | 3.05 |
| three | 4.10 | 4.90 | 5.40 | 4.80 |
""",
    "means of two metrics in turn": """
| | chat | | code | | math | | Mean | |
|---|---|---|---|---|---|---|---|---|
| Method | Speedup | τ | Speedup | τ | Speedup | τ | Speedup | τ |
| one | 2.63x | 3.60 | 2.76x | 3.90 | 2.82x | 3.90 | 2.74x | 3.80 |
| two | 1.98x | 2.70 | 2.25x | 3.10 | 2.31x | 3.20 | 2.18x | 3.00 |
| three | 1.50x | 2.10 | 1.60x | 2.30 | 1.70x | 2.50 | 1.60x | 2.30 |
""",
    "before and after, no known name": """
| Bytes | Without XML | With XML | Improvement |
|---|---|---|---|
| 4 KB | 41.0 | 30.1 | +36.2% |
| 16 KB | 52.4 | 40.3 | +30.0% |
| 64 KB | 88.9 | 74.1 | +20.0% |
| 1 MB | 310.0 | 296.0 | +4.7% |
""",
    "speed and the time of a fixed job": """
| method | decoding throughput (tok/s) | total time (s) |
|---|---|---|
| vanilla | 61.7 | 347.1 |
| a | 100.0 | 214.2 |
| b | 104.6 | 204.7 |
| c | 119.3 | 179.5 |
| d | 121.5 | 176.3 |
""",
    "latency beside speed": """
task  base_tok/s  spec_tok/s  decode_speedup  base_latency  spec_latency  latency_speedup
----  ----------  ----------  --------------  ------------  ------------  ---------------
code  51.5        84.5        1.64x           11.98s        7.49s         1.60x
chat  51.7        66.7        1.29x           10.96s        9.13s         1.20x
""",
    "speedup of decoding alone": """
| path | Baseline throughput | N-gram throughput | Speedup | Decode speedup |
|---|---|---|---|---|
| loop | 32.0 tok/s | 64.0 tok/s | 2.00x | 3.20x |
| server | 114.0 tok/s | 205.2 tok/s | 1.80x | 2.90x |
""",
    "drafts that are fewer at times": (
        '{"method": "suffix", "num_spec_tokens": 8, "acceptance_rate": 0.811, "accept_length": 3.59}\n'
    ),
    "interactivity": """
| Conc | Interactivity | Tput/GPU | TPOT (ms) |
|---|---|---|---|
| 8 | 125.0 | 648 | 8.00 |
| 16 | 110.0 | 1,150 | 9.09 |
| 32 | 96.7 | 1,923 | 10.34 |
""",
    "vllm bench serve": """
============ Serving Benchmark Result ============
Successful requests:                     80
Benchmark duration (s):                  20.00
Total input tokens:                      6000
Total generated tokens:                  20000
Request throughput (req/s):              4.00
Output token throughput (tok/s):         1000.00
Total token throughput (tok/s):          1300.00
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          5.50
Median TPOT (ms):                        5.60
P99 TPOT (ms):                           6.40
---------------Inter-token Latency----------------
Mean ITL (ms):                           8.40
---------------Speculative Decoding---------------
Acceptance rate (%):                     26.40
Acceptance length:                       1.53
Drafts:                                  13000
Draft tokens:                            26000
Accepted tokens:                         6864
Per-position acceptance (%):
  Position 0:                            40.64
  Position 1:                            12.16
==================================================
""",
    "bench_serving with latencies": """
Successful requests:                     32
Benchmark duration (s):                  28.00
Concurrency:                             7.43
Mean E2E Latency (ms):                   6500.00
Median E2E Latency (ms):                 7440.00
P90 E2E Latency (ms):                    9180.00
P99 E2E Latency (ms):                    9680.00
""",
    "json with statistics inside": (
        '{"num_requests": 8, "tpot_ms": {"mean": 4.9, "p50": 4.8, "p95": 6.1, "p99": 7.0}, '
        '"itl_ms": {"mean": 9.6, "p50": 9.5, "p99": 14.2}, "acceptance_length": 1.97}\n'
    ),
    "llama.cpp": (
        "prompt eval time =     900.00 ms /    30 tokens (   30.00 ms per token, 33.33 tokens per second)\n"
        "       eval time =   12800.00 ms /   160 tokens (   80.00 ms per token, 12.50 tokens per second)\n"
        "draft acceptance rate = 0.80000 (  120 accepted /   150 generated)\n"
        "  code_python        pred= 192 draft= 180 acc= 144 rate=0.800 tok/s=31.3\n"
        "decoded  128 tokens in   16.000 seconds, speed:    8.000 t/s\n"
        "n_drafted = 110\nn_accept  = 44\naccept    = 40.000%\n"
    ),
    "sglang log of unknown settings": (
        _decode(2.17, 0.54)
        + _decode(1.95, 0.49)
        + _decode(1.80, 0.45)
        + _decode(2.05, 0.51)
        + _decode(2.30, 0.57)
    ),
    "vllm log with throughputs": (
        "INFO 06-06 14:20:44 [metrics.py:86] SpecDecoding metrics: Mean acceptance length: 2.40, Accepted "
        "throughput: 35.00 tokens/s, Drafted throughput: 75.00 tokens/s, Accepted: 350 tokens, Drafted: 750 "
        "tokens, Per-position acceptance rate: 0.640, 0.440, 0.320, Avg Draft acceptance rate: 46.7%\n"
    ),
    "one configuration in a sentence": (
        "With 3 steps the server makes 120.0 tok/s at 20.0 ms per cycle, an accept length of 2.40.\n"
    ),
    "two claims in a sentence": (
        "Verify fell from 28.0 ms to 21.0 ms, a 25% drop, and decoding rose from 70.0 tok/s to 84.0 tok/s, "
        "a 20% gain.\n"
    ),
    "chinese prose": (
        "验证时间从 28.0 ms 降到 21.0 ms，降低 25%。吞吐量从 70.0 tok/s 提升至 84.0 tok/s，提升 20%。\n"
    ),
}
