"""Find the fastest speculative-decoding configuration of a GPU host, and prove it.

snakemake --cores 1 all                                the study of config.yaml
snakemake --cores 1 --config study=NAME -- all         studies/NAME.yaml instead, complete and alone
snakemake --cores 1 published                          render the studies in results/published/
"""

from snakemake.utils import min_version

min_version("9.27")


include: "rules/common.smk"
include: "rules/asked.smk"
include: "rules/records.smk"
include: "rules/env.smk"
include: "rules/models.smk"
include: "rules/preflight.smk"
include: "rules/probe.smk"
include: "rules/smoke.smk"
include: "rules/run.smk"
include: "rules/measure.smk"
include: "rules/verdict.smk"
include: "rules/recheck.smk"
include: "rules/render.smk"
include: "rules/report.smk"
include: "rules/published.smk"


rule all:
    """The whole study: measured, rendered, and complete."""
    default_target: True
    input:
        # Each by its own name: Snakemake does not miss a file that only something finished was made from.
        f"{STUDY.folder}/complete.json",
        f"{STUDY.folder}/table.md",
        f"{STUDY.folder}/eagle3_prof.txt",
        f"{STUDY.folder}/report.html",
        f"{STUDY.folder}/launch.sh",
        expand(f"{STUDY.folder}/figures/{{name}}.svg", name=FIGURES),
        every_record,
