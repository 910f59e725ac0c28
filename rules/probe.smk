"""Ask NCCL what it chooses under each NCCL variant, and time it bare. Neither is a timed run of the server.

IN   results/{study}/plan/engine.json, models.json     which server, which models
OUT  results/{study}/plan/nccl/{nccl}.json             what is asked for
     results/{study}/probe/{nccl}/probe.json           what was started and why not; the study's message sizes
                                  nccl.log.gz          what NCCL wrote of itself
                                  server.log.gz
     results/{study}/allreduce/{nccl}/allreduce.json   each replay of an all-reduce of each size
                                      nccl.log.gz
On one GPU, and on a CPU, nothing is started and the reason is written.
"""


localrules:
    variant,


rule variant:
    """Write down what decides whether a probe is still of the study."""
    output:
        "results/{study}/plan/nccl/{nccl}.json",
    log:
        "results/{study}/logs/variant/{nccl}.log",
    priority: 1_000_000  # before the first run
    params:
        asked=asked_of_probe,
    shell:
        "echo {params.asked:q} >{output:q} 2>{log:q}"


rule probe:
    """Start the server once, with speculation and without weights, and let NCCL write."""
    input:
        asked="results/{study}/plan/nccl/{nccl}.json",
        engine="results/{study}/plan/engine.json",
        models="results/{study}/models.json",
        preflight=preflight_of_probe,
    output:
        probe="results/{study}/probe/{nccl}/probe.json",
        nccl="results/{study}/probe/{nccl}/nccl.log.gz",
        server="results/{study}/probe/{nccl}/server.log.gz",
    log:
        "results/{study}/logs/probe/{nccl}.log",
    priority: 500_000  # before the first run
    localrule: STUDY.gpus < 2  # when nothing is started
    threads: workflow.cores or 1
    resources:
        gpu_host=1,
        gpu=STUDY.gpus,
        slurm_extra="--exclusive",
        target=str(STUDY.folders["target"]),
        draft=str(STUDY.folders["draft"]),
        python=STUDY.python or "-",
        start_s=str(STUDY.values["limits"]["start_s"]),
        stall_s=str(STUDY.values["limits"]["stall_s"]),
    shell:
        r"""
        exec sweetspot probe --parent $PPID \
            --asked {input.asked:q} \
            --engine {input.engine:q} \
            --target {resources.target:q} \
            --draft {resources.draft:q} \
            --python {resources.python:q} \
            --start-s {resources.start_s} \
            --stall-s {resources.stall_s} \
            --out {output.probe:q} 2>{log:q}
        """


rule allreduce:
    """Time all-reduces of the study's sizes inside CUDA graphs, in the environment that SGLang gives NCCL."""
    input:
        asked="results/{study}/plan/nccl/{nccl}.json",
        engine="results/{study}/plan/engine.json",
        probe="results/{study}/probe/{nccl}/probe.json",
    output:
        times="results/{study}/allreduce/{nccl}/allreduce.json",
        nccl="results/{study}/allreduce/{nccl}/nccl.log.gz",
    log:
        "results/{study}/logs/allreduce/{nccl}.log",
    priority: 500_000
    localrule: STUDY.gpus < 2  # when nothing is started
    threads: workflow.cores or 1
    resources:
        gpu_host=1,
        gpu=STUDY.gpus,
        slurm_extra="--exclusive",
        python=STUDY.python or "-",
    shell:
        r"""
        exec sweetspot allreduce --parent $PPID \
            --asked {input.asked:q} \
            --engine {input.engine:q} \
            --probe {input.probe:q} \
            --python {resources.python:q} \
            --out {output.times:q} 2>{log:q}
        """
