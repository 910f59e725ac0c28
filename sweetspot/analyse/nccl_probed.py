"""What is known of one NCCL variant: its probe, NCCL's own words, and bare all-reduces. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Self

from sweetspot.measure.nccl import Choice, NcclLog, overheard, read_nccl_log
from sweetspot.plan.rewrites import UNLESS_SET

Row = dict[str, Any]

_OTHERS = {
    "enable_symm_mem": "NCCL's symmetric memory",
    "enable_torch_symm_mem": "torch's symmetric memory",
    "enable_mscclpp": "MSCCL++",
    "enable_flashinfer_allreduce_fusion": "FlashInfer's fused all-reduce",
}
_PCIE_IPC = "SGLANG_ENABLE_PCIE_IPC_ALLREDUCE"


@dataclass(frozen=True)
class Probed:
    """One NCCL variant, as it was probed and timed bare."""

    record: Row  # probe.json
    server: NcclLog  # of the probed server
    said: list[str]  # by that server, of all-reduces
    timed: Row | None  # of allreduce.json, None where nothing was timed
    benchmark: NcclLog  # of what was timed

    @classmethod
    def read(
        cls,
        record: Row,
        nccl_log: Iterable[str],
        server_log: Iterable[str],
        allreduce: Row | None,
        benchmark_log: Iterable[str],
    ) -> Self:
        """Return the variant whose records and lines of logs these are."""
        timed = allreduce["timed"] if allreduce else None
        return cls(
            record, read_nccl_log(nccl_log), overheard(server_log), timed, read_nccl_log(benchmark_log)
        )

    @property
    def asked(self) -> set[str]:
        """The variables of NCCL's that it sets to another value than SGLang does by itself."""
        env = self.record["env"]
        return {name for name in env if name.startswith("NCCL_") and env[name] != UNLESS_SET.get(name)}

    @property
    def started(self) -> bool:
        """Whether a server came up and told its messages."""
        return bool(self.record["status"] == "complete")

    @property
    def skipped(self) -> bool:
        """Whether there was nothing to start."""
        return bool(self.record["status"] == "skipped")

    def lines(self, size: int) -> int:
        """Return how many all-reduces of so many bytes NCCL did for the server, or recorded in its graphs."""
        return self.server.all_reduces.get(size, Counter[Choice]()).total()

    def on_the_path(self, message: Row) -> bool:
        """Return whether NCCL serves the passes of *message*'s load: most all-reduces of the widest."""
        messages = self.record["messages"]
        of_load = [m for m in messages if m["load"] == message["load"]]
        widest = max(of_load, key=lambda m: int(m["draft_tokens"]))
        return self.lines(widest["bytes"]) >= 2 * int(self.record["target"]["layers"])

    def choices(self, message: Row) -> Counter[Choice]:
        """Return what NCCL chose at the size of *message*: for the server, else when timed bare."""
        if not self.on_the_path(message):
            return Counter()
        size = message["bytes"]
        return self.server.all_reduces.get(size) or self.benchmark.all_reduces.get(size) or Counter()

    def who_served(self, lines: int) -> str:
        """Return what did the all-reduces in NCCL's place, as far as the server told."""
        resolved = self.record["server"].get("resolved", {})
        named = [name for flag, name in _OTHERS.items() if resolved.get(flag)]
        if self.record["env"].get(_PCIE_IPC) == "1":
            named.append("the PCIe-IPC all-reduce")
        refused = any("is disabled because" in line for line in self.said)
        if not resolved.get("disable_custom_all_reduce", False) and not refused:
            named.append("SGLang's custom all-reduce")
        whole = 2 * int(self.record["target"]["layers"]) + 1
        served = f"served by {' or '.join(named)}" if named else "by what, the server does not tell"
        return f"{lines} lines of NCCL's at verify size, where a pass has {whole} all-reduces: {served}"
