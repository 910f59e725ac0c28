"""From records to numbers. Cheap, and rerun whenever its own code changes.

IN   results/{study}/run/, results/{study}/plan/plan.json, or the same of results/published/{study}/
OUT  results/{study}/measure/*.parquet     a row for each request, pass, launch, and comparison of tokens
     results/{study}/summary.parquet       a row for each variant and load
     results/{study}/nccl.json             what NCCL did under each variant, and what that predicts
     results/{study}/apart.parquet         the same of rounds on another kind of host
     results/{study}/verdict.json
     results/{study}/eagle3_prof.txt       where the time of a cycle went, as others print it
"""


localrules:
    measure,
    summarise,
    banner,
    nccl,
    verdict,


rule measure:
    """Compute what each pass says: speeds, acceptance, cycle time, exactness."""
    input:
        records=records,
        plan=plan_of,
    output:
        requests="results/{study}/measure/requests.parquet",
        passes="results/{study}/measure/passes.parquet",
        exactness="results/{study}/measure/exactness.parquet",
        launches="results/{study}/measure/launches.parquet",
    log:
        "results/{study}/logs/measure.log",
    params:
        code=digest_of_code("measure", "run/cycles.py", "run/record.py", "run/job.py"),
        run=run_folder,
    shell:
        r"""
        exec sweetspot measure \
            --plan {input.plan:q} \
            --run {params.run:q} \
            --out results/{wildcards.study}/measure 2>{log:q}
        """


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


rule banner:
    """Write what the timer saw of each variant, as the banner that others print."""
    input:
        rules.measure.output,
        plan=plan_of,
    output:
        "results/{study}/eagle3_prof.txt",
    log:
        "results/{study}/logs/banner.log",
    params:
        code=digest_of_code("analyse/banner.py"),
    shell:
        r"""
        exec sweetspot banner \
            --plan {input.plan:q} \
            --measure results/{wildcards.study}/measure \
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
