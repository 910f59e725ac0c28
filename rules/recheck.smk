"""Hold a server that switches between variants against a server for each: does it measure the same?

IN   results/{study}/first/{{summary.parquet, verdict.json}}     the study as its first plan measured it
OUT  results/{study}/plan/recheck.json     the variants in doubt, in a one-load launch and in dedicated ones
     results/{study}/equality.json         one-load over dedicated: speeds and cycles, with intervals
     results/{study}/plan/final.json       the first plan, or where it was refuted a launch for each variant
A study without one-load launches, or with `equality_rounds: 0`, skips all of it.
"""


localrules:
    recheck,
    equality,
    settle,


checkpoint recheck:
    """Plan the second stage from the first verdict."""
    input:
        summary="results/{study}/first/summary.parquet",
        verdict="results/{study}/first/verdict.json",
    output:
        "results/{study}/plan/recheck.json",
    log:
        "results/{study}/logs/recheck.log",
    resources:
        study=str(STUDY.file),
    params:
        rounds=STUDY.values["equality_rounds"],
        plan=STUDY.plan.to_json(),
    shell:
        r"""
        exec sweetspot recheck \
            --study {resources.study:q} \
            --summary {input.summary:q} \
            --verdict {input.verdict:q} \
            --out {output:q} 2>{log:q}
        """


rule equality:
    """Hold the one-load launches of the second stage against its dedicated ones."""
    input:
        plan=recheck_plan,
        records=recheck_records,
    output:
        "results/{study}/equality.json",
    log:
        "results/{study}/logs/equality.log",
    params:
        code=digest_of_code("analyse", "measure"),
        run=run_folder,
    shell:
        r"""
        exec sweetspot equality \
            --plan {input.plan:q} \
            --run {params.run:q} \
            --out {output:q} 2>{log:q}
        """


checkpoint settle:
    """Keep the first plan, or fall back to a launch for each variant."""
    input:
        "results/{study}/equality.json",
    output:
        "results/{study}/plan/final.json",
    log:
        "results/{study}/logs/settle.log",
    resources:
        study=str(STUDY.file),
    params:
        plan=STUDY.plan.to_json(),
    shell:
        r"""
        exec sweetspot settle \
            --study {resources.study:q} \
            --equality {input:q} \
            --out {output:q} 2>{log:q}
        """
