"""Which plans and records a study is computed from: its own, or those of a published one."""


def is_published(wildcards):
    return wildcards.study.startswith("rendered/")


def records_folder(wildcards):
    """Where what was observed for a study lies; its first stage has none of its own."""
    study = NAME if wildcards.study == FIRST else wildcards.study.replace("rendered/", "published/")
    return f"results/{study}"


def run_folder(wildcards):
    return f"{records_folder(wildcards)}/run"


def plan_of(wildcards):
    """The plan that the records belong to: a published one, the first one, or what the second stage left."""
    if is_published(wildcards):
        return f"{records_folder(wildcards)}/plan.json"
    if wildcards.study == NAME and STUDY.rechecks:
        return checkpoints.settle.get(study=NAME).output[0]
    return f"{STUDY.folder}/plan/plan.json"


def recheck_plan(wildcards):
    if is_published(wildcards):
        return f"{records_folder(wildcards)}/recheck.json"
    return checkpoints.recheck.get(study=wildcards.study).output[0]


def every_plan(wildcards):
    """The plans whose launches make the study complete."""
    first = f"{STUDY.folder}/plan/plan.json"
    if not STUDY.rechecks:
        return [first]
    return [first, *(stage.get(study=NAME).output[0] for stage in (checkpoints.recheck, checkpoints.settle))]


@one_line_errors()
def records_of(wildcards, plan):
    """Every record of a plan; of a published one they have to be there."""
    if is_published(wildcards):
        return published_records(Path(plan))
    return STUDY.records(Path(plan))


def records(wildcards):
    return records_of(wildcards, plan_of(wildcards))


def recheck_records(wildcards):
    return records_of(wildcards, recheck_plan(wildcards))


@one_line_errors()
def every_record(wildcards):
    return sorted({record for plan in every_plan(wildcards) for record in STUDY.records(Path(plan))})


def equality_of(wildcards):
    """How one load compares with a load each, of a study that asked."""
    if is_published(wildcards):
        compared = Path(recheck_plan(wildcards)).exists()
    else:
        compared = STUDY.rechecks and wildcards.study == NAME
    return f"results/{wildcards.study}/equality.json" if compared else []


def nccl_records(wildcards):
    """What the probes and benchmarks of a study left; of a published one what there is."""
    files = ["probe/{nccl}/probe.json", "allreduce/{nccl}/allreduce.json"]
    if is_published(wildcards):
        folder = Path(records_folder(wildcards))
        return sorted(path for file in files for path in folder.glob(file.replace("{nccl}", "*")))
    return expand([f"{STUDY.folder}/{file}" for file in files], nccl=STUDY.nccl_variants())
