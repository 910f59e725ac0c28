"""From records to tables. Cheap, and rerun whenever its own code changes.

IN   results/{study}/run/, results/{study}/plan/plan.json, or the same of results/published/{study}/
OUT  results/{study}/measure/*.parquet     a row for each request, pass, launch, and comparison of tokens
     results/{study}/eagle3_prof.txt       where the time of a cycle went, as others print it
"""


localrules:
    measure,
    banner,


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


rule banner:
    """Write what the timer saw of each variant, as the banner that others print."""
    input:
        rules.measure.output,
        records=records,
        plan=plan_of,
    output:
        "results/{study}/eagle3_prof.txt",
    log:
        "results/{study}/logs/banner.log",
    params:
        code=digest_of_code("analyse/banner.py", "render/cautions.py"),
        run=run_folder,
    shell:
        r"""
        exec sweetspot banner \
            --run {params.run:q} \
            --plan {input.plan:q} \
            --measure results/{wildcards.study}/measure \
            --out {output:q} 2>{log:q}
        """
