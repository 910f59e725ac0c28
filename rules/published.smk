"""Render the studies that are in git. No rule writes below results/published/, so this never starts a server.

IN   results/published/{study}/{{plan.json, run/}}: a study that was measured
     results/published/{reported}/{{reported.yaml, statement.txt}}: figures that somebody published without
     records, by row, and what is said of them
OUT  results/rendered/{study}/: as results/{study}/ for a study of one's own
"""


rule published:
    """Render every published study."""
    input:
        expand("results/rendered/{study}/report.html", study=published_studies()),
        expand("results/rendered/{study}/table.md", study=published_studies()),
        expand("results/rendered/{study}/eagle3_prof.txt", study=published_studies()),
        expand("results/rendered/{reported}/report.html", reported=reported_studies()),


localrules:
    reported,


rule reported:
    """Render figures that were published without records."""
    input:
        figures="results/published/{reported}/reported.yaml",
        statement="results/published/{reported}/statement.txt",
    output:
        multiext(
            "results/rendered/{reported}/",
            "summary.parquet",
            "verdict.json",
            "table.md",
            "table.csv",
            "audit.txt",
            "report.html",
        ),
        expand(
            "results/rendered/{{reported}}/figures/{name}.{kind}",
            name=["speed", "cycle", "accept-length"],
            kind=["svg", "png"],
        ),
    log:
        "results/rendered/{reported}/logs/reported.log",
    params:
        code=digest_of_code("analyse", "render"),
    shell:
        r"""
        exec sweetspot reported \
            --figures {input.figures:q} \
            --statement {input.statement:q} \
            --out results/rendered/{wildcards.reported} 2>{log:q}
        """
