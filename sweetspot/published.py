"""The studies in git: `results/published/STUDY/{study.yaml, plan.json, host.json, run/}`.

No rule writes there. A study comes there by being copied, whole.
"""

import json
import shutil
from pathlib import Path

from sweetspot.engine.redact import Redactor
from sweetspot.errors import RecordError
from sweetspot.run.outcomes import record_paths

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
    paths = record_paths(folder / "run", json.loads((folder / "plan.json").read_text()))
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
    for path in record_paths(measured / "run", json.loads((measured / "plan" / "plan.json").read_text())):
        shutil.copytree(path.parent, partial / path.parent.relative_to(measured))
    texts = {"study.yaml": study_file, "plan.json": measured / "plan" / "plan.json"}
    texts["host.json"] = measured / "host.json"
    for name, source in texts.items():
        (partial / name).write_text(Redactor().text(source.read_text()))
    shutil.rmtree(place, ignore_errors=True)
    partial.rename(place)
    return place
