"""Reads what a study left: in `results/NAME`, or of a published one in `results/rendered/NAME`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import polars as pl

from sweetspot.analyse.hosts import of_first_host
from sweetspot.analyse.summary_columns import SUMMARY
from sweetspot.analyse.table_file import read_table
from sweetspot.errors import RecordError
from sweetspot.plan.json_file import read_json
from sweetspot.run import record


@dataclass(frozen=True)
class StudyFiles:
    """All of a study that a comparison looks at."""

    name: str  # its folder
    plan: dict[str, Any]  # of plan.json
    record: dict[str, Any]  # of the first launch in the first round, for what all records share
    passes: pl.DataFrame  # one row a pass
    summary: pl.DataFrame  # one row a variant and load
    verdict: dict[str, Any]  # of verdict.json

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Return the study in *folder*, or the published one in it.

        Raises:
            RecordError: If a file is missing or damaged.
        """
        rendered = folder.parent.name in ("rendered", "published")
        source, plan_file = folder, folder / "plan" / "plan.json"
        if rendered:
            source, folder = (folder.parents[1] / kind / folder.name for kind in ("published", "rendered"))
            plan_file = source / "plan.json"
        elif (final := folder / "plan" / "final.json").exists():
            plan_file = final
        if (source / "reported.yaml").exists():
            raise RecordError(
                f"{source}: figures that were reported, expected records; compare studies with records"
            )
        plan = read_json(_existing(plan_file), "launches", "variants")
        first = source / "run" / plan["launches"][0]["id"] / "0" / "record.json"
        return cls(
            name=str(folder),
            plan=plan,
            record=record.read(first),
            passes=of_first_host(read_table(_existing(folder / "measure" / "passes.parquet"))),
            summary=_summary(folder / "summary.parquet"),
            verdict=read_json(_existing(folder / "verdict.json"), "winner", "rows"),
        )


def _summary(path: Path) -> pl.DataFrame:
    summary = read_table(_existing(path))
    if missing := [name for name in SUMMARY if name not in summary.columns]:
        raise RecordError(f"{path}: no column {missing[0]}, expected this version's; summarise it again")
    return summary


def _existing(path: Path) -> Path:
    if not path.exists():
        raise RecordError(
            f"{path}: missing, expected a study that was measured; name its folder, or measure it, "
            "or render a published one by `snakemake --cores 1 published`"
        )
    return path
