"""What the Snakefile needs besides the study: its file, the folder's lock, errors in one line, code digests.

Evaluated whenever the Snakefile is, also on cluster nodes, so it starts no server and writes no result.
"""

import fcntl
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from sweetspot.errors import RunError, StudyError, SweetspotError, explain
from sweetspot.host.facts import facts, fingerprint
from sweetspot.plan.json_file import read_json
from sweetspot.study import RESULTS, Study

PACKAGE = Path(__file__).parent

_HELD: list[IO[str]] = []  # open files, so that their locks last


@contextmanager
def one_line_errors() -> Iterator[None]:
    """End Snakemake with the line of an error that a user can meet, and no traceback."""
    try:
        yield
    except SweetspotError as error:
        sys.exit(str(error))
    except OSError as error:
        if (line := explain(error)) is None:
            raise
        sys.exit(line)


def put_tools_on_path() -> None:
    """Let rules call `sweetspot` where it lies beside the Python that runs Snakemake."""
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def study_file(config: dict[str, Any]) -> Path:
    """Return the study that Snakemake's *config* names, `config.yaml` if none.

    Raises:
        StudyError: If `--config` holds anything but `study`, since values stand in the study file alone, or a
            path in place of a name.
    """
    if unknown := sorted(config.keys() - {"study"}):
        raise StudyError(f"--config: {unknown[0]}, expected `study=NAME` alone; edit the study file instead")
    if "study" not in config:
        return Path("config.yaml")
    name = str(config["study"])
    if (bare := Path(name).name.removesuffix(".yaml")) != name:
        raise StudyError(
            f"--config: study={name}, expected the NAME of studies/NAME.yaml; write study={bare}"
        )
    return Path("studies", f"{name}.yaml")


def is_dry_run() -> bool:
    """Return whether Snakemake is only to say what it would do, which it tells no rule file itself."""
    words = [word for word in sys.argv[1:] if word.startswith("-")]
    return any(
        word in {"--dry-run", "--dryrun"} or re.fullmatch(r"-[a-zA-Z]*n[a-zA-Z]*", word) for word in words
    )


def hold_folder() -> None:
    """Keep other Snakemakes out of `results/` for as long as this process lives.

    Raises:
        RunError: If another one is at work.
    """
    try:
        RESULTS.mkdir(exist_ok=True)
        guard = (RESULTS / ".lock").open("w")
    except OSError as error:
        raise RunError(f"results/: {error.strerror}, expected a folder to write into; make it one") from None
    _HELD.append(guard)
    try:
        fcntl.flock(guard, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RunError(
            "results/: another snakemake works on this folder, expected none; wait for it, or stop it"
        ) from None


def refuse_auto_elsewhere(study: Study, elsewhere: bool) -> None:
    """Raise if the host that is to resolve `engine: auto` is not one that measures.

    Args:
        study: The study.
        elsewhere: Whether jobs run on other machines than this.

    Raises:
        StudyError: If it would be resolved here and now.
    """
    if elsewhere and study.values["engine"] == "auto" and not (study.folder / "plan/engine.json").exists():
        raise StudyError(
            f"{study.file}: engine: 'auto', expected an engine by its name where jobs run on other machines; "
            f"write engine-cu13, engine-cu12, engine-cpu or external"
        )


def sbatch_options(bound: Path) -> str:
    """Return what a run asks of SLURM: a node for itself, the one that the file *bound* names, if any."""
    if not bound.exists():
        return "--exclusive"
    return f"--exclusive --nodelist={read_json(bound, 'name')['name']}"


@lru_cache
def fingerprint_for_cache() -> str:
    """Return what this host is for Snakemake's output cache, empty where there is none.

    The job that looks a run up or keeps it asks this, on the node that measures.
    """
    if "SNAKEMAKE_OUTPUT_CACHE" not in os.environ:
        return ""
    host = facts()
    return json.dumps([fingerprint(host), host["gpus"], host["nccl_conf"]], sort_keys=True)


def digest_of_code(*parts: str) -> str:
    """Return a hash of the sources under the package's *parts*: rules follow edits, not file times."""
    digest = hashlib.sha256()
    for part in parts:
        place = PACKAGE / part
        for path in sorted(place.rglob("*") if place.is_dir() else [place]):
            if path.suffix in {".py", ".j2"}:
                digest.update(f"{path.relative_to(PACKAGE)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]
