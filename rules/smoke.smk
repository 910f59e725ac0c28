"""Stop a doomed sweep: one short run of the draft before any other, judged on its accept_length.

IN   results/{study}/run/smoke/0/record.json     rule run, as any launch: there once for each draft and engine
OUT  results/{study}/smoke.json                  accept_length, cycles and num_steps; every other run waits for it
The band that the study may give is no param: another opinion of a draft is no reason to measure again. What it
says of a draft that passed already is checked when the study is read (rules/common.smk).
"""


localrules:
    smoke,


rule smoke:
    """Find the draft alive, and its accept_length where the study expects it."""
    input:
        f"{STUDY.record(SMOKE, 0)}",
    output:
        "results/{study}/smoke.json",
    log:
        "results/{study}/logs/smoke.log",
    priority: 1_000_000  # before the first run of the sweep
    resources:
        study=str(STUDY.file),
    shell:
        r"""
        exec sweetspot smoke \
            --study {resources.study:q} \
            --record {input:q} \
            --out {output:q} 2>{log:q}
        """
