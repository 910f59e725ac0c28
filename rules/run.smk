"""Start the server once and record what happened. Nothing is computed here.

IN   results/{study}/plan/launch/{launch}/{round}.json     what is asked for
     results/{study}/preflight.json                        nothing starts before it passes
OUT  results/{study}/run/{launch}/{round}/record.json      see sweetspot/run/record.py
                                          outcome.json     did it complete, at which attempt
                                          server.log.gz
Whether a launch is measured again hangs on what is asked for alone, so editing code or a comment costs no
GPU hours. To measure again all the same: snakemake --forcerun run
"""


localrules:
    launch,


rule launch:
    """Write down what decides whether a record is still of the study."""
    output:
        "results/{study}/plan/launch/{launch}/{round}.json",
    log:
        "results/{study}/logs/launch/{launch}/{round}.log",
    priority: 1_000_000  # before the first run
    params:
        asked=asked_of_run,
    shell:
        "echo {params.asked:q} >{output:q} 2>{log:q}"


rule run:
    """Measure one launch in one round, alone on its host."""
    input:
        # Of a job whose input is about to be made again, Snakemake does not look at the params, and if that
        # input is ancient the job does not run. So what decides is a file of its own, that hangs on nothing.
        asked="results/{study}/plan/launch/{launch}/{round}.json",
        preflight=ancient("results/{study}/preflight.json"),
    output:
        record="results/{study}/run/{launch}/{round}/record.json",
        outcome="results/{study}/run/{launch}/{round}/outcome.json",
        server_log="results/{study}/run/{launch}/{round}/server.log.gz",
    log:
        "results/{study}/logs/run/{launch}/{round}.log",
    priority: earlier_rounds_first
    threads: workflow.cores or 1  # nothing else runs beside a timed run
    resources:
        gpu_host=1,
    shell:
        r"""
        exec sweetspot run \
            --results results/{wildcards.study} \
            --asked {input.asked:q} \
            --out {output.record:q} 2>{log:q}
        """
