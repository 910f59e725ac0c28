"""Measure: one start of the server, and a record of what was seen. All numbers come later.

IN   results/{study}/plan/node/{round}.json                where all launches of the round run
     results/{study}/plan/launch/{launch}/{round}.json     what is asked for
     results/{study}/preflight/{launch}.json               nothing starts before it passes
     results/{study}/smoke.json                            the draft is alive; the launch `smoke` shows it
OUT  results/{study}/run/{launch}/{round}/record.json      see sweetspot/run/record.py
                                          outcome.json     did it complete, at which attempt
                                          cycles.jsonl.gz  what each decode cycle took, by phase
                                          server.log.gz
                                          trace/           with `profile: trace`; no output, since nothing is made from it
Whether a launch is measured again hangs on what is asked for alone, so editing code or a comment costs no
GPU hours (docs/decisions/001). To measure again all the same: snakemake --forcerun run (without a cache)
"""


localrules:
    launch,


rule node:
    """Let the cluster choose the node of a round; its launches follow."""
    output:
        "results/{study}/plan/node/{round}.json",
    log:
        "results/{study}/logs/node/{round}.log",
    priority: 1_000_000  # before the first run
    resources:
        gpu=STUDY.gpus,
        slurm_extra="--exclusive",
    shell:
        "exec sweetspot node --out {output:q} 2>{log:q}"


rule launch:
    """Write down what decides whether a record is still of the study."""
    input:
        node_of_round,
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
    """Start the server of a launch in a round, measure its passes, stop it; nothing else runs on the host."""
    input:
        asked="results/{study}/plan/launch/{launch}/{round}.json",
        preflight="results/{study}/preflight/{launch}.json",
        smoke=smoke_of,
    output:
        record="results/{study}/run/{launch}/{round}/record.json",
        outcome="results/{study}/run/{launch}/{round}/outcome.json",
        cycles="results/{study}/run/{launch}/{round}/cycles.jsonl.gz",
        server_log="results/{study}/run/{launch}/{round}/server.log.gz",
    log:
        "results/{study}/logs/run/{launch}/{round}.log",
    priority: earlier_rounds_first
    threads: workflow.cores or 1  # nothing else runs beside a timed run
    resources:
        gpu_host=1,
        gpu=STUDY.gpus,
        slurm_extra=alone_on_its_node,
        bound=bound_to,  # not `node`, which SLURM's executor takes for a number
        host="any",
        # no params: a longer patience, or another place for the same files, is no reason to measure again
        target=str(STUDY.folders["target"]),
        draft=str(STUDY.folders["draft"]),
        python=STUDY.python or "-",
        start_s=str(STUDY.values["limits"]["start_s"]),
        stall_s=str(STUDY.values["limits"]["stall_s"]),
    params:
        host=host_of_cache,
    shell:
        r"""
        exec sweetspot run --parent $PPID \
            --results results/{wildcards.study} \
            --asked {input.asked:q} \
            --target {resources.target:q} \
            --draft {resources.draft:q} \
            --python {resources.python:q} \
            --node {resources.bound:q} \
            --host {resources.host:q} \
            --start-s {resources.start_s} \
            --stall-s {resources.stall_s} \
            --out {output.record:q} 2>{log:q}
        """
