"""The verbs on whole studies, and on what others say of theirs."""

import argparse

from sweetspot.cli.files import read_plan, write_json


def check(arguments: argparse.Namespace) -> None:
    """Fail if a launch failed, after the report has shown it, with the server's last words."""
    from sweetspot.run.outcomes import check, record_paths

    paths = {path for plan in arguments.plans for path in record_paths(arguments.run, read_plan(plan))}
    write_json(arguments.out, check(sorted(paths)))


def publish(arguments: argparse.Namespace) -> None:
    """Copy a complete study into results/published/, where git keeps it and no rule writes."""
    from sweetspot.publish import publish
    from sweetspot.study import Study

    print(publish(Study.load(arguments.study)))


def compare(arguments: argparse.Namespace) -> None:
    """Print what differs between two studies: inputs, results beyond their intervals, verdicts."""
    from sweetspot.analyse.compare import compare, describe
    from sweetspot.analyse.study_files import StudyFiles

    print(describe(compare(*map(StudyFiles.read, (arguments.a, arguments.b)))))


def audit(arguments: argparse.Namespace) -> int:
    """Recompute the numbers that somebody published, and list what contradicts what; 1 if anything does."""
    from sweetspot.analyse.audit import audit, format

    found = audit(arguments.file.read_text(errors="replace"), arguments.file.name)
    print(format(found))
    return found.exit_code
