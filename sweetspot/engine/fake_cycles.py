"""The cycles of the stand-in server, made up as its speeds are, in the file of SGLang's timer."""

import json
import os
from pathlib import Path

from sweetspot.engine.plugin import UNITS

DRAFT_STEP_SHARE, EXTEND_SHARE, CALL_SHARE, HOST_SHARE = 0.05, 0.05, 0.95, 0.3  # of the period


class CycleFile:
    """A file of cycles that grows.

    Args:
        prefix: Of its path.
    """

    def __init__(self, prefix: str) -> None:
        self._file = Path(f"{prefix}.{os.getpid()}").open("w")  # noqa: SIM115  for as long as the server runs
        self._write({"clock": "made_up", "columns": list(UNITS)})

    def note(
        self, start_us: int, end_us: int, batch_size: int, num_steps: int, accepted: int, last: bool
    ) -> None:
        """Write down a cycle, as if all its requests had accepted as many drafts."""
        period_us = end_us - start_us
        draft_us, extend_us = (
            round(share * period_us) for share in (DRAFT_STEP_SHARE * num_steps, EXTEND_SHARE)
        )
        call_us = round(CALL_SHARE * period_us)
        phases = {"draft_us": draft_us, "verify_us": call_us - draft_us - extend_us, "extend_us": extend_us}
        row = {
            "start_us": start_us,
            "period_us": period_us,
            "followed": int(not last),
            "call_us": call_us,
            "host_us": round(HOST_SHARE * period_us),
            "batch_size": batch_size,
            "num_steps": num_steps,
            "tokens": batch_size * (accepted + 1),
            "plain": int(not num_steps),
            **(phases if num_steps else dict.fromkeys(phases)),
        }
        self._write([row[name] for name in UNITS])

    def _write(self, line: object) -> None:
        print(json.dumps(line), file=self._file, flush=True)
