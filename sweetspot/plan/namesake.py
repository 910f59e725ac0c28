"""Keeps two studies from one name, under which each would write over the other's results."""

from pathlib import Path

from sweetspot.errors import StudyError
from sweetspot.plan import strict_yaml


def check_name(file: Path, name: str) -> None:
    """Raise unless the study in *file* can be called *name*.

    Args:
        file: `config.yaml`, or one in `studies/`.
        name: That it gives itself.

    Raises:
        StudyError: If it is in `studies/` under another name, or another file has a study of that name.
    """
    in_studies = file.parent.name == "studies"
    if in_studies and file.stem != name:
        raise StudyError(
            f"{file}: name: {name!r}, expected {file.stem!r} like the file, or it would write over the "
            f"results of another study; rename one of them"
        )
    other = file.parents[1] / "config.yaml" if in_studies else Path(file.parent, "studies", f"{name}.yaml")
    if not other.is_file() or other.read_bytes() == file.read_bytes():
        return
    found = strict_yaml.read(other.read_text(encoding="utf-8"), str(other))
    if isinstance(found, dict) and found.get("name") == name:
        raise StudyError(
            f"{file}: name: {name!r}, expected another than in {other}, or each start of one would measure "
            f"over the other; rename one of them"
        )
