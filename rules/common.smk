"""The study that the rules are for, and which files are its.

IN   config.yaml, or studies/NAME.yaml with `--config study=NAME`; never both, never merged
"""

import json
import sys
from pathlib import Path

from sweetspot import asked
from sweetspot.host.env import digest_of_lock, prebuilt
from sweetspot.plan.smoke import SMOKE
from sweetspot.published import published_records, published_studies, reported_studies
from sweetspot.study import Study
from sweetspot.workflow import (
    digest_of_code,
    fingerprint_for_cache,
    hold_folder,
    is_dry_run,
    one_line_errors,
    put_tools_on_path,
    refuse_auto_elsewhere,
    sbatch_options,
    study_file,
)

put_tools_on_path()
with one_line_errors():
    STUDY = Study.load(study_file(config), only_planned=is_dry_run())
    asked.check_smoke(STUDY)
NAME = STUDY.values["name"]
FIRST = f"{NAME}/first"  # what the study says before its second stage


onstart:
    with one_line_errors():
        refuse_auto_elsewhere(STUDY, workflow.non_local_exec)
        hold_folder()


onerror:
    print("Stopped. What was measured is kept: the same command goes on from there.", file=sys.stderr)


wildcard_constraints:
    study="|".join(
        name.replace(".", "[.]")
        for name in [NAME, FIRST, *(f"rendered/{name}" for name in published_studies())]
    ),
    reported="|".join(name.replace(".", "[.]") for name in reported_studies()) or "(?!)",
    launch=r"[a-z0-9.-]+",
    nccl=r"[a-z0-9-]+",
    round=r"\d+",
    env=r"[a-z0-9-]+",


def engine_record(wildcards):
    """The environment's record, for an engine that has one of ours."""
    return f"results/env/{STUDY.engine}.json" if STUDY.locked else []
