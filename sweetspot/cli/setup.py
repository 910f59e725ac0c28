"""The verbs that make ready what a study needs, and say what it will do."""

import argparse
from pathlib import Path

from sweetspot.cli.files import read_json, read_json_lines, write_json


def env(arguments: argparse.Namespace) -> None:
    """Install an environment from its lock and write what is in it."""
    from sweetspot.host import env, installed

    env.build(arguments.name, arguments.extra_index)
    write_json(arguments.out, installed.record(arguments.name))


def lock(arguments: argparse.Namespace) -> None:
    """Lock environments again, all of them or those named, and hash their wheels for Nix."""
    from sweetspot.host import wheelhouse
    from sweetspot.host.lock import DATES, lock

    for name in arguments.names or DATES:
        lock(name)
        wheelhouse.write(name)


def engine(arguments: argparse.Namespace) -> None:
    """Write which engine a study runs on, and what is installed there."""
    from sweetspot.host import engines
    from sweetspot.study import Study

    study = Study.load(arguments.study)
    write_json(arguments.out, engines.describe(study.values["engine"], arguments.name, study.python))


def models(arguments: argparse.Namespace) -> None:
    """Find or construct a study's models, and write where they lie and what they are."""
    from sweetspot.models.prepare import find
    from sweetspot.study import Study

    study = Study.load(arguments.study)
    write_json(arguments.out, find(study.values["models"], study.interpreter()))


def prompts(arguments: argparse.Namespace) -> None:
    """Turn a study's prompts into token ids."""
    from sweetspot.models.prepare import tokenize
    from sweetspot.study import Study

    study = Study.load(arguments.study)
    target = Path(read_json(study.folder / "models.json", "target")["target"]["folder"])
    trust = study.plan.launches[0].args.get("trust-remote-code") is True
    tokenize(study.values["prompts"], target, study.interpreter(), trust, arguments.out)


def host(arguments: argparse.Namespace) -> None:
    """Write what machine this is, without its name."""
    from sweetspot.host.facts import facts

    write_json(arguments.out, facts())


def node(arguments: argparse.Namespace) -> None:
    """Write which node this is: that of a round, for all of its launches."""
    from sweetspot.host import node

    write_json(arguments.out, {"name": node.name(), "label": node.label(node.name())})


def plan(arguments: argparse.Namespace) -> None:
    """Print the launches of a study, why each is there, and what they will take."""
    from sweetspot.plan import describe
    from sweetspot.study import Study

    study = Study.load(arguments.study, only_planned=True)
    print(describe(study.plan, study.second_stage()))
    if arguments.out:
        arguments.out.write_text(study.plan.to_json())


def preflight(arguments: argparse.Namespace) -> None:
    """Stop what can't work on this host before anything is started."""
    from sweetspot.host.preflight import preflight
    from sweetspot.models.pair.check import check_pair
    from sweetspot.run.lock import host_lock
    from sweetspot.study import Study

    study = Study.load(arguments.study)
    host = read_json(study.folder / "host.json", "gpus", "nccl_conf")
    prompts = read_json_lines(study.folder / "prompts.jsonl", "id", "input_ids")
    with host_lock():  # another study that measures here is waited for, not found in the way
        checked = preflight(study.plan, host, prompts)
    write_json(
        arguments.out, checked + check_pair(study.plan, study.folders, study.trained_on, host, prompts)
    )
