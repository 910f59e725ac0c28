"""Tests of `sweetspot.engine.causes`: what a server's log says of its end."""

import pytest

from sweetspot.engine.causes import cause


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("sglang serve: error: unrecognized arguments: --max-runing-requests 4", "this SGLang's own flags"),
        ("launch_server.py: error: ambiguous option: --cuda-graph-max-bs could", "this SGLang's own flags"),
        ("launch_server.py: error: argument --dtype: invalid choice: bf16", "this SGLang's own flags"),
        (
            "AssertionError: number of ranks should be smaller than or equal to number of numa node",
            "lower tp_size",
        ),
        ("RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.", "raise mem-fract"),
        (
            "Exception: Capture cuda graph failed: CUDA out of memory. Tried to allocate 2 GiB.",
            "lower mem-fract",
        ),
        ("torch.OutOfMemoryError: CUDA out of memory. GPU 3 has a total capacity of", "lower mem-fraction"),
        ("RuntimeError: Decode out of memory. Try to lower your batch size.", "raise max-total-tokens"),
        ("RuntimeError: CUDA error: an illegal memory access was encountered", "leave out the longest chain"),
        ("NCCL WARN no algorithm/protocol available for function AllGather with", "change the NCCL variant"),
        (
            "torch.distributed.DistBackendError: ncclInvalidUsage: This usually reflects",
            "change the NCCL var",
        ),
        (
            "[Rank 2] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7,",
            "for the rank that did",
        ),
        ("Scheduler watchdog timeout (self.watchdog_timeout=300, self.soft=False)", "for the rank that did"),
        ("CUDA error: uncorrectable ECC error encountered", "have this host's GPUs looked at"),
        ("OSError: [Errno 28] No space left on device", "make room"),
    ],
)
def test_a_line_that_tells(line: str, remedy: str) -> None:
    """It is quoted, with what helps."""
    found = cause(f"[2026-01-02 03:04:05 TP3] {line}\n")

    assert found is not None
    assert found.startswith(f"it said '[2026-01-02 03:04:05 TP3] {line}'; ")
    assert remedy in found


@pytest.mark.parametrize(
    "line",
    [
        "Traceback (most recent call last):",
        "Memory pool end. avail mem=3.18 GB",
        "Decode batch, #running-req: 1, #token: 713, accept len: 1.87",
        "server_args=ServerArgs(mem_fraction_static=0.88, watchdog_timeout=300)",
    ],
)
def test_a_line_that_does_not(line: str) -> None:
    """What any server says is no cause."""
    assert cause(line) is None


def test_a_long_line_is_cut() -> None:
    """The record has to be readable."""
    assert len(str(cause("CUDA out of memory" + "." * 5000))) < 400
