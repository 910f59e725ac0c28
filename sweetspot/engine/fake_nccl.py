"""A stand-in for what NCCL writes of itself, in NCCL's own lines, for the stand-in of the server.

It obeys NCCL_ALGO and NCCL_PROTO. Left alone it takes a ring, with LL for what is small.
"""

import argparse
import json
import os
from pathlib import Path

from sweetspot.plan.messages import Shape, shape
from sweetspot.plan.nccl_lists import allowed

GRAPH_SIZES = (1, 2, 4, 8)  # requests
_SMALL_BYTES = 1 << 18
_HEAD = "host:1:1 [0] NCCL INFO "


class FakeNccl:
    """Writes to the file that NCCL_DEBUG_FILE names; says nothing unless asked to, nor on one GPU.

    Args:
        options: The server's: `tp_size`, `model_path`, `disable_custom_all_reduce` and the draft tokens.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        place = os.environ.get("NCCL_DEBUG_FILE")
        self._log = Path(place.replace("%p", str(os.getpid()))) if place and options.tp_size > 1 else None
        self._serves = options.disable_custom_all_reduce  # else SGLang's own all-reduce does
        if self._log is None:
            return
        self._of: Shape = shape(json.loads(Path(options.model_path, "config.json").read_text()), None)
        lines = [
            f"{name} set by environment to {os.environ[name]}"
            for name in ("NCCL_PROTO", "NCCL_ALGO")
            if name in os.environ
        ]
        self._write(["NCCL version 2.28.9+cuda13.0", *lines, "Channel 00/0 : 0[0] -> 1[1] via P2P/IPC"])
        for size in GRAPH_SIZES:
            self.forward(size * (options.speculative_num_draft_tokens or 1))

    def forward(self, tokens: int) -> None:
        """Say what a forward pass of so many *tokens* does."""
        if self._log is None or not self._serves:
            return
        size = self._of.bytes(tokens)
        algorithms, protocols = allowed(os.environ, "AllReduce")
        algorithm = "Ring" if "Ring" in algorithms else min(algorithms)
        wanted = "LL" if size < _SMALL_BYTES else "Simple"
        protocol = wanted if wanted in protocols else min(protocols)
        chosen = f"Algo {algorithm.upper()} proto {protocol.upper()} channel{{Lo..Hi}}={{0..1}}"
        self._write([f"AllReduce: {size} Bytes -> {chosen}"] * self._of.all_reduces)

    def _write(self, lines: list[str]) -> None:
        assert self._log is not None
        with self._log.open("a") as log:
            log.writelines(f"{_HEAD}{line}\n" for line in lines)
