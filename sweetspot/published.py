"""The studies in git: `results/published/STUDY/{study.yaml, plan.json, host.json, run/}`.

No rule writes there. A study comes there by being copied, whole.
"""

import json
import shutil
from pathlib import Path

from sweetspot.engine.redact import Redactor
from sweetspot.errors import RecordError

PUBLISHED = Path("results", "published")


def published_studies() -> list[str]:
    """Return the names of the studies that are published."""
    return sorted(plan.parent.name for plan in PUBLISHED.glob("*/plan.json"))


def reported_studies() -> list[str]:
    """Return the names of the studies of which only figures are published, without records."""
    return sorted(figures.parent.name for figures in PUBLISHED.glob("*/reported.yaml"))


def published_records(study: str) -> list[Path]:
    """Return the records of a published study.

    Raises:
        RecordError: If one that its plan asks for is missing: no rule can make it.
    """
    folder = PUBLISHED / study
    paths = [folder / run / "record.json" for run in _runs(folder / "plan.json")]
    if missing := [path for path in paths if not path.exists()]:
        raise RecordError(f"{missing[0]}: missing, expected every record of {folder}/plan.json; restore it")
    return paths


def publish(study_file: Path, measured: Path) -> Path:
    """Copy a complete study to where git keeps it, in place of an earlier one, and return that folder.

    What names the host, its users or their folders is taken out; records never had it.

    Args:
        study_file: The study.
        measured: Its folder in `results/`.

    Raises:
        RecordError: If a launch of it is not measured.
    """
    if not (measured / "complete.json").exists():
        raise RecordError(
            f"{measured}: no complete.json, expected a study whose launches are all measured; run it"
        )
    place, partial = PUBLISHED / measured.name, PUBLISHED / f".{measured.name}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    for run in _runs(measured / "plan" / "plan.json"):
        shutil.copytree(measured / run, partial / run)
    texts = {"study.yaml": study_file, "plan.json": measured / "plan" / "plan.json"}
    texts["host.json"] = measured / "host.json"
    for name, source in texts.items():
        (partial / name).write_text(Redactor().text(source.read_text()))
    shutil.rmtree(place, ignore_errors=True)
    partial.rename(place)
    return place


def _runs(plan_file: Path) -> list[str]:
    """Return the folder of each launch of a plan in each round, within the study's."""
    plan = json.loads(plan_file.read_text())
    launches, rounds = plan["launches"], range(plan["rounds"])
    return [f"run/{launch['id']}/{round_}" for launch in launches for round_ in rounds]
