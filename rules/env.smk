"""Build an engine's environment from its lock, and say which engine the study runs on.

IN   envs/{env}/requirements.lock
OUT  results/env/{env}.json               what is really installed, after comparing it with the lock
     results/{study}/plan/engine.json     the engine that `engine: auto` means, resolved once, and what is in it
The environment itself lies in .envs/, in a folder of its own for each content of its lock.
"""


localrules:
    env,
    engine,


rule env:
    """Install what a lock pins, or take what Nix built, and prove it."""
    output:
        "results/env/{env}.json",
    log:
        "results/env/{env}.log",
    params:
        lock=lambda wildcards: digest_of_lock(wildcards.env),
        prebuilt=lambda wildcards: bool(prebuilt(wildcards.env)),
        # PyTorch's own index, asked only where pip's hold no file with the locked hash.
        cpu_wheels="https://download.pytorch.org/whl/cpu",
    shell:
        r"""
        exec sweetspot env {wildcards.env} \
            --extra-index {params.cpu_wheels:q} \
            --out {output:q} >{log:q} 2>&1
        """


rule engine:
    """Write down which engine serves, and the packages beside it."""
    input:
        env=engine_record,
    output:
        "results/{study}/plan/engine.json",
    log:
        "results/{study}/logs/engine.log",
    resources:
        study=str(STUDY.file),  # no params: a moved file is no reason to measure again
    params:
        engine=STUDY.engine,
        packages=lambda wildcards: STUDY.packages,
    shell:
        r"""
        exec sweetspot engine {params.engine:q} \
            --study {resources.study:q} \
            --out {output:q} 2>{log:q}
        """
