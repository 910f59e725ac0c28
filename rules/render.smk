"""From numbers to a table and figures.

IN   results/{study}/summary.parquet, apart.parquet, nccl.json, verdict.json, run/
OUT  results/{study}/table.{md,csv}, figures/
"""


localrules:
    table,
    figures,


FIGURES = ["speed", "acceptance", "accept-length", "cycle", "allreduce", "nccl"]


rule table:
    """Write the comparison as Markdown to read and as CSV with every digit."""
    input:
        plan=plan_of,
        records=records,
        summary="results/{study}/summary.parquet",
        nccl="results/{study}/nccl.json",
        apart="results/{study}/apart.parquet",
        verdict="results/{study}/verdict.json",
        equality=equality_of,
    output:
        markdown="results/{study}/table.md",
        csv="results/{study}/table.csv",
    log:
        "results/{study}/logs/table.log",
    params:
        code=digest_of_code("render"),
        run=run_folder,
    shell:
        r"""
        exec sweetspot table \
            --run {params.run:q} \
            --plan {input.plan:q} \
            --summary {input.summary:q} \
            --nccl {input.nccl:q} \
            --apart {input.apart:q} \
            --verdict {input.verdict:q} \
            --equality {input.equality:q} \
            --markdown {output.markdown:q} \
            --csv {output.csv:q} 2>{log:q}
        """


rule figures:
    """Draw the figures."""
    input:
        records=records,
        plan=plan_of,
        summary="results/{study}/summary.parquet",
        nccl="results/{study}/nccl.json",
        verdict="results/{study}/verdict.json",
    output:
        expand("results/{{study}}/figures/{name}.{kind}", name=FIGURES, kind=["svg", "png"]),
    log:
        "results/{study}/logs/figures.log",
    params:
        code=digest_of_code("render"),
        run=run_folder,
    shell:
        r"""
        exec sweetspot figures \
            --run {params.run:q} \
            --plan {input.plan:q} \
            --summary {input.summary:q} \
            --nccl {input.nccl:q} \
            --verdict {input.verdict:q} \
            --out results/{wildcards.study}/figures 2>{log:q}
        """
