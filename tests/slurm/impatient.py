"""Snakemake as it is, but for its patience: it asks SLURM each second what became of the jobs.

Its executor waits ten seconds longer after each question that found nothing finished, up to three minutes,
and no option says otherwise. On a cluster nobody minds; here nearly all of a test would be waiting.
"""

import sys

from snakemake.cli import main
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

EACH_S = 1

RemoteExecutor.next_seconds_between_status_checks = property(  # type: ignore[method-assign]
    lambda executor: EACH_S, lambda executor, seconds: None
)

if __name__ == "__main__":
    sys.exit(main())
