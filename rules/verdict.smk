"""From tables to the verdict. Cheap, and rerun whenever its own code changes.

IN   results/{study}/measure/*.parquet, results/{study}/plan/plan.json, probe/, allreduce/
OUT  results/{study}/summary.parquet     a row for each variant and load
     results/{study}/apart.parquet       the same of rounds on another kind of host
     results/{study}/nccl.json           what NCCL did under each variant, and what that predicts
     results/{study}/verdict.json
"""


localrules:
    summarise,
    nccl,
    verdict,


rule summarise:
    """Pool the passes of each variant and load, and compare it with its baseline."""
    input:
        rules.measure.output,
        plan=plan_of,
    output:
        summary="results/{study}/summary.parquet",
        apart="results/{study}/apart.parquet",
    log:
        "results/{study}/logs/summarise.log",
    params:
        code=digest_of_code("analyse", "measure"),
    shell:
        r"""
        exec sweetspot summarise \
            --plan {input.plan:q} \
            --measure results/{wildcards.study}/measure \
            --out {output.summary:q} \
            --apart {output.apart:q} 2>{log:q}
        """


rule nccl:
    """Prove what NCCL did under each variant, and hold bare all-reduces against the verify."""
    input:
        records=nccl_records,
        summary=rules.summarise.output.summary,
        plan=plan_of,
    output:
        "results/{study}/nccl.json",
    log:
        "results/{study}/logs/nccl.log",
    params:
        code=digest_of_code("analyse", "measure"),
        study=records_folder,
    shell:
        r"""
        exec sweetspot nccl \
            --study {params.study:q} \
            --summary {input.summary:q} \
            --plan {input.plan:q} \
            --out {output:q} 2>{log:q}
        """


rule verdict:
    """Say what is faster, slower, unclear or broken, and which variant wins."""
    input:
        summary=rules.summarise.output.summary,
        nccl=rules.nccl.output,
        plan=plan_of,
    output:
        "results/{study}/verdict.json",
    log:
        "results/{study}/logs/verdict.log",
    params:
        code=digest_of_code("analyse", "measure"),
    shell:
        r"""
        exec sweetspot verdict \
            --summary {input.summary:q} \
            --plan {input.plan:q} \
            --nccl {input.nccl:q} \
            --out {output:q} 2>{log:q}
        """
