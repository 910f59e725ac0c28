"""Find or construct the models, and turn the prompts into token ids, the same for every variant.

IN   the study; results/{study}/plan/engine.json (the engine's Python constructs and tokenizes)
OUT  results/{study}/models.json      where target and draft lie, and hashes of what they are
     results/{study}/prompts.jsonl    {{id, input_ids}} a line
Constructed models lie in .models/, in a folder of their own for each specification.
"""


localrules:
    models,
    prompts,


rule models:
    """Construct the pair, or look at the user's: configuration, headers and sizes, never gigabytes of weights."""
    input:
        engine="results/{study}/plan/engine.json",
    output:
        "results/{study}/models.json",
    log:
        "results/{study}/logs/models.log",
    resources:
        study=str(STUDY.file),
    params:
        models=lambda wildcards: STUDY.models,
    shell:
        r"""
        exec sweetspot models \
            --study {resources.study:q} \
            --out {output:q} 2>{log:q}
        """


rule prompts:
    """Render chat messages and tokenize texts, once, by the target's own tokenizer."""
    input:
        models="results/{study}/models.json",
    output:
        "results/{study}/prompts.jsonl",
    log:
        "results/{study}/logs/prompts.log",
    resources:
        study=str(STUDY.file),
    params:
        prompts=lambda wildcards: STUDY.prompts,
    shell:
        r"""
        exec sweetspot prompts \
            --study {resources.study:q} \
            --out {output:q} 2>{log:q}
        """
