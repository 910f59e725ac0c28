"""Prints the key under which Snakemake's output cache keeps the record at a path, without making it.

python cache_key.py SNAKEFILE FOLDER RECORD
"""

import sys
from pathlib import Path

from snakemake.api import SnakemakeApi
from snakemake.caching.hash import ProvenanceHashMap
from snakemake.settings.types import DAGSettings, OutputSettings, Quietness, ResourceSettings


def main() -> None:
    """Print the key of what the command line names."""
    snakefile, folder, record = sys.argv[1:]
    with SnakemakeApi(OutputSettings(quiet={Quietness.ALL})) as api:
        loaded = api.workflow(ResourceSettings(cores=1), snakefile=Path(snakefile), workdir=Path(folder))
        loaded.dag(DAGSettings(targets={record})).execute_workflow(executor="dryrun")
        workflow = loaded._workflow
        job = next(job for job in workflow.dag.jobs if record in job.output)
        print(workflow.async_run(ProvenanceHashMap().get_provenance_hash(job)))


if __name__ == "__main__":
    main()
