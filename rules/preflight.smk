"""Write the plan, look at the host, and stop what can't work before the first model is loaded.

IN   the study
OUT  results/{study}/plan/plan.json     launches with their reasons, and an estimate
     results/{study}/host.json          what machine this is
     results/{study}/preflight.json     what was checked
"""


localrules:
    plan,
    host,
    preflight,


rule plan:
    """Write the legal, de-duplicated launches of the study."""
    output:
        "results/{study}/plan/plan.json",
    log:
        "results/{study}/logs/plan.log",
    params:
        study=str(STUDY.file),
        plan=STUDY.plan.to_json(),
    shell:
        r"""
        exec sweetspot plan {params.study:q} \
            --out {output:q} >{log:q} 2>&1
        """


rule host:
    """Write down what machine this is, without its name."""
    output:
        "results/{study}/host.json",
    log:
        "results/{study}/logs/host.log",
    shell:
        r"""
        exec sweetspot host --out {output:q} 2>{log:q}
        """


rule preflight:
    """Compare the study with the host, the models and the prompts."""
    input:
        plan="results/{study}/plan/plan.json",
        host="results/{study}/host.json",
        models="results/{study}/models.json",
        prompts="results/{study}/prompts.jsonl",
    output:
        "results/{study}/preflight.json",
    log:
        "results/{study}/logs/preflight.log",
    params:
        study=str(STUDY.file),
        code=digest_of_code("plan", "host"),
    shell:
        r"""
        exec sweetspot preflight \
            --study {params.study:q} \
            --out {output:q} 2>{log:q}
        """
