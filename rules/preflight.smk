"""Write the plan, look at the host, and stop what can't work before the first model is loaded.

IN   the study
OUT  results/{study}/plan/plan.json     launches with their reasons, and an estimate
     results/{study}/host.json          what machine this is
     results/{study}/preflight/{launch}.json     what was checked
A preflight is of one launch so that a longer study does not measure the others again; it looks at all of it.
"""


localrules:
    plan,
    preflight,


rule plan:
    """Write the legal, de-duplicated launches of the study."""
    output:
        "results/{study}/plan/plan.json",
    log:
        "results/{study}/logs/plan.log",
    resources:
        study=str(STUDY.file),
    params:
        plan=lambda wildcards: STUDY.plan.to_json(),
    shell:
        r"""
        exec sweetspot plan {resources.study:q} \
            --out {output:q} >{log:q} 2>&1
        """


rule host:
    """Write down what machine this is, without its name."""
    output:
        "results/{study}/host.json",
    log:
        "results/{study}/logs/host.log",
    resources:
        gpu=STUDY.gpus,
        slurm_extra="--exclusive",  # or a node shows the GPUs of the job alone
    shell:
        r"""
        exec sweetspot host --out {output:q} 2>{log:q}
        """


rule preflight:
    """Compare the study with the host, the models and the prompts: all of it, before any launch."""
    input:
        host="results/{study}/host.json",
        models="results/{study}/models.json",
        prompts="results/{study}/prompts.jsonl",
    output:
        "results/{study}/preflight/{launch}.json",
    log:
        "results/{study}/logs/preflight/{launch}.log",
    priority: 1_000_000  # before the first run
    resources:
        study=str(STUDY.file),
    params:
        identity=identity_of_launch,
    shell:
        r"""
        exec sweetspot preflight \
            --study {resources.study:q} \
            --out {output:q} 2>{log:q}
        """
