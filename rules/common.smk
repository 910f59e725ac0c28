"""What the rules know of the study: its launches, and what decides whether a file is still of it.

IN   config.yaml, or studies/NAME.yaml with `--config study=NAME`; never both, never merged
"""

import json
from pathlib import Path

from sweetspot.host.env import digest_of_lock, prebuilt
from sweetspot.published import published_records, published_studies, reported_studies
from sweetspot.study import SMOKE, Study
from sweetspot.workflow import (
    digest_of_code,
    fingerprint_for_cache,
    hold_folder,
    is_dry_run,
    one_line_errors,
    put_tools_on_path,
    refuse_auto_elsewhere,
    study_file,
)

put_tools_on_path()
with one_line_errors():
    STUDY = Study.load(study_file(config), only_planned=is_dry_run())
    STUDY.check_smoke()
NAME = STUDY.values["name"]
FIRST = f"{NAME}/first"  # what the study says before its second stage


onstart:
    with one_line_errors():
        refuse_auto_elsewhere(STUDY, workflow.non_local_exec)
        hold_folder()


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


def asked_of_run(wildcards):
    """What the run is of, as JSON: launch, round, attempt, and all that changes its physics."""
    return json.dumps(STUDY.asked(wildcards.launch, int(wildcards.round)), sort_keys=True)


def identity_of_launch(wildcards):
    return json.dumps(STUDY.identity(wildcards.launch), sort_keys=True)


def asked_of_probe(wildcards):
    """What the probe of an NCCL variant is of, as JSON: all that can change what it finds."""
    return json.dumps(STUDY.probe(wildcards.nccl), sort_keys=True)


def preflight_of_probe(wildcards):
    """A preflight, which looks at the whole study."""
    first = STUDY.plan.launches[0].id
    return f"results/{wildcards.study}/preflight/{first}.json"


def earlier_rounds_first(wildcards):
    return STUDY.priority(wildcards.launch, int(wildcards.round))


def smoke_of(wildcards):
    """What every launch waits for, but the one from which it is made."""
    return [] if wildcards.launch == SMOKE else f"results/{wildcards.study}/smoke.json"


def node_of_round(wildcards):
    """Where the node of a round is written down; the launch before all rounds runs anywhere."""
    return [] if wildcards.launch == SMOKE else f"{STUDY.folder}/plan/node/{wildcards.round}.json"


def bound_to(wildcards):
    return node_of_round(wildcards) or "-"


def alone_on_its_node(wildcards):
    return STUDY.sbatch_options(Path(bound_to(wildcards)))


def host_of_cache(wildcards, threads):
    """What the cache must know besides the inputs. (With `threads`, no change of it makes a run run again.)"""
    return fingerprint_for_cache()


def plan_of(wildcards):
    """The plan that the records belong to: a published one, the first one, or what the proof left of it."""
    if wildcards.study.startswith("rendered/"):
        return f"results/{wildcards.study.replace('rendered/', 'published/')}/plan.json"
    if wildcards.study == NAME and STUDY.rechecks:
        return checkpoints.settle.get(study=NAME).output[0]
    return f"{STUDY.folder}/plan/plan.json"


def records_of(wildcards, plan):
    """Every record of a plan; of a published one they have to be there."""
    if wildcards.study.startswith("rendered/"):
        with one_line_errors():
            return published_records(Path(plan))
    return STUDY.records(Path(plan))


def records(wildcards):
    return records_of(wildcards, plan_of(wildcards))


def records_folder(wildcards):
    """Where what was observed for a study lies; its first stage has none of its own."""
    study = NAME if wildcards.study == FIRST else wildcards.study.replace("rendered/", "published/")
    return f"results/{study}"


def run_folder(wildcards):
    return f"{records_folder(wildcards)}/run"


def recheck_plan(wildcards):
    if wildcards.study.startswith("rendered/"):
        return f"results/{wildcards.study.replace('rendered/', 'published/')}/recheck.json"
    return checkpoints.recheck.get(study=wildcards.study).output[0]


def recheck_records(wildcards):
    return records_of(wildcards, recheck_plan(wildcards))


def equality_of(wildcards):
    """The proof, of a study that has one."""
    if wildcards.study.startswith("rendered/"):
        proved = Path(recheck_plan(wildcards)).exists()
    else:
        proved = STUDY.rechecks and wildcards.study == NAME
    return f"results/{wildcards.study}/equality.json" if proved else []


def every_plan(wildcards):
    """The plans whose launches make the study complete."""
    first = f"{STUDY.folder}/plan/plan.json"
    if not STUDY.rechecks:
        return [first]
    return [first, *(stage.get(study=NAME).output[0] for stage in (checkpoints.recheck, checkpoints.settle))]


def every_record(wildcards):
    return sorted({record for plan in every_plan(wildcards) for record in STUDY.records(Path(plan))})


def nccl_records(wildcards):
    """What the probes and benchmarks of a study left; of a published one what there is."""
    files = ["probe/{nccl}/probe.json", "allreduce/{nccl}/allreduce.json"]
    if wildcards.study.startswith("rendered/"):
        folder = Path(records_folder(wildcards))
        return sorted(path for file in files for path in folder.glob(file.replace("{nccl}", "*")))
    return expand([f"{STUDY.folder}/{file}" for file in files], nccl=STUDY.nccl_variants())
