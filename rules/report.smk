"""One page for all of it, the winner's command, and the last word on whether the study is complete.

IN   results/{study}/summary.parquet, apart.parquet, nccl.json, verdict.json, figures/, run/
OUT  results/{study}/launch.sh, report.html
     results/{study}/complete.json     only if every launch of the plan was measured
"""


localrules:
    command,
    report,
    check,


rule command:
    """Write the winner's exact command and environment."""
    input:
        records=records,
        plan=plan_of,
        verdict="results/{study}/verdict.json",
    output:
        "results/{study}/launch.sh",
    log:
        "results/{study}/logs/command.log",
    params:
        code=digest_of_code("render"),
        run=run_folder,
    shell:
        r"""
        exec sweetspot command \
            --run {params.run:q} \
            --plan {input.plan:q} \
            --verdict {input.verdict:q} \
            --out {output:q} 2>{log:q}
        """


rule report:
    """Put the verdict, the table, the figures and where they come from on one page."""
    input:
        rules.figures.output,
        plan=plan_of,
        records=records,
        summary="results/{study}/summary.parquet",
        nccl="results/{study}/nccl.json",
        apart="results/{study}/apart.parquet",
        verdict="results/{study}/verdict.json",
        command="results/{study}/launch.sh",
        equality=equality_of,
    output:
        "results/{study}/report.html",
    log:
        "results/{study}/logs/report.log",
    params:
        code=digest_of_code("render"),
        run=run_folder,
    shell:
        r"""
        exec sweetspot report \
            --run {params.run:q} \
            --plan {input.plan:q} \
            --summary {input.summary:q} \
            --nccl {input.nccl:q} \
            --apart {input.apart:q} \
            --verdict {input.verdict:q} \
            --equality {input.equality:q} \
            --command {input.command:q} \
            --figures results/{wildcards.study}/figures \
            --out {output:q} 2>{log:q}
        """


rule check:
    """Fail, naming them, if launches failed: after everything else, which shows them as failed."""
    input:
        "results/{study}/table.md",
        "results/{study}/report.html",
        records=every_record,
        plans=every_plan,
    output:
        "results/{study}/complete.json",
    log:
        "results/{study}/logs/check.log",
    params:
        run=run_folder,
    shell:
        r"""
        exec sweetspot check \
            --run {params.run:q} \
            --plans {input.plans:q} \
            --out {output:q} 2>{log:q}
        """
