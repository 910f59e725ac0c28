"""Finds the line of a server's log that says why it failed, and what helps. Pure.

With eight ranks the cause is seldom among the last words: one rank runs out of memory, and what the other
seven say when they have waited for it comes after. Phrases are those of SGLang, torch, NCCL and the driver.
"""

import re

_LONGEST = 200  # characters of a line that are quoted
_REMEDIES = {
    r": error: (unrecognized arguments|ambiguous option|argument )": (
        "correct it in the study, by this SGLang's own flags"
    ),
    r"smaller than or equal to number of numa node": (
        "lower tp_size, or set SGLANG_CPU_OMP_THREADS_BIND in engines.engine-cpu.env"
    ),
    r"Not enough memory\. Please try": "raise mem-fraction-static or tp_size, or take larger GPUs",
    r"(Prefill|Decode) out of memory": "raise max-total-tokens or mem-fraction-static, or drop the load",
    r"CUDA out of memory|OutOfMemoryError": (
        "lower mem-fraction-static, or capture graphs for fewer requests or fewer step counts"
    ),
    r"fallen off the bus|GPU is lost|uncorrectable (ECC|NVLink) error": "have this host's GPUs looked at",
    r"no algorithm/protocol available|ncclInvalid(Usage|Argument)": "change the NCCL variant",
    r"caught collective operation timeout|[Ww]atchdog timeout": (
        "look above that line in server.log.gz for the rank that did not come"
    ),
    r"illegal memory access|device-side assert": (
        "leave out the longest chain, or take another attention-backend or SGLang"
    ),
    r"No space left on device": "make room on the disk or in /dev/shm",
}


def cause(line: str) -> str | None:
    """Return *line* and what helps if it says why a server can't go on, None for any other."""
    for phrase, remedy in _REMEDIES.items():
        if re.search(phrase, line):
            return f"it said {line.strip()[:_LONGEST]!r}; {remedy}"
    return None
