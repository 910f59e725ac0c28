"""The default study on a GPU host, by the engine that `auto` picks there."""

import polars as pl
import pytest

from sweetspot.host.engines import suitable
from sweetspot.host.facts import facts
from tests.workflow.project import Project

pytestmark = pytest.mark.gpu


def test_the_default_study_on_a_gpu(project: Project) -> None:
    """Baseline and two steps, one round: the tokens agree, and the identity holds."""
    host = facts()
    if not host["gpus"]:
        pytest.skip("no NVIDIA driver found on this host")
    project.take_default_study(rounds=1)
    project.study["speculation"]["num_steps"] = [2]
    project.save()

    answer = project.snakemake("all")

    assert answer.returncode == 0, answer.stdout + answer.stderr
    rows = pl.read_parquet(project.folder / "results/small/summary.parquet").to_dicts()
    assert suitable(host).startswith("engine-cu")
    assert {row["variant"]: row["exact"] for row in rows}["s2.default"] in {"exact", "near-tie"}
    assert all(abs(row["identity_residual"]) < 0.03 for row in rows)
