"""Reads what a study left: in `results/NAME`, or in `results/rendered/NAME` of a published one."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import polars as pl

from sweetspot.analyse.hosts import of_first_host
from sweetspot.analyse.summary import SUMMARY
from sweetspot.errors import RecordError
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
        """Return the study whose tables lie in *folder*.

        Raises:
            RecordError: If a file is missing or damaged.
        """
        rendered = folder.parent.name == "rendered"
        source = folder.parents[1] / "published" / folder.name if rendered else folder
        if (source / "reported.yaml").exists():
            raise RecordError(
                f"{source}: figures that were reported, expected records; compare studies with records"
            )
        plan = json.loads(_text(source / "plan.json" if rendered else source / "plan" / "plan.json"))
        first = source / "run" / plan["launches"][0]["id"] / "0" / "record.json"
        return cls(
            name=str(folder),
            plan=plan,
            record=record.read(first),
            passes=of_first_host(pl.read_parquet(_existing(folder / "measure" / "passes.parquet"))),
            summary=_summary(folder / "summary.parquet"),
            verdict=json.loads(_text(folder / "verdict.json")),
        )


def _summary(path: Path) -> pl.DataFrame:
    summary = pl.read_parquet(_existing(path))
    if missing := [name for name in SUMMARY if name not in summary.columns]:
        raise RecordError(f"{path}: no column {missing[0]}, expected this version's; summarise it again")
    return summary


def _existing(path: Path) -> Path:
    if not path.exists():
        raise RecordError(
            f"{path}: missing, expected a study that was measured; name its folder, or measure it"
        )
    return path


def _text(path: Path) -> str:
    return _existing(path).read_text()
