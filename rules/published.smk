"""Render the studies that are in git. No rule writes below results/published/, so this never starts a server.

IN   results/published/{study}/{{plan.json, run/}}
OUT  results/rendered/{study}/: as results/{study}/ for a study of one's own
"""


rule published:
    """Render every published study."""
    input:
        expand("results/rendered/{study}/report.html", study=published_studies()),
        expand("results/rendered/{study}/table.md", study=published_studies()),
