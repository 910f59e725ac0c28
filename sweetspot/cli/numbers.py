"""The verbs that turn records into numbers, verdicts, and plans of what to measure next."""

import argparse
import os

from sweetspot.cli.files import (
    read_equality,
    read_nccl,
    read_plan,
    read_verdict,
    write_json,
)

_TABLES = ("requests", "passes", "exactness", "launches")  # of `measure`
_WORTH_A_POOL = 50  # records: for fewer, starting processes takes longer than reading


def smoke(arguments: argparse.Namespace) -> None:
    """Say from the short run before a sweep whether the draft is alive, and as good as the study expects."""
    from sweetspot.analyse.smoke import judge_smoke
    from sweetspot.run.outcomes import check
    from sweetspot.run.record import read
    from sweetspot.study import Study

    band = Study.load(arguments.study).values["smoke"]["accept_length"]
    check([arguments.record])
    write_json(arguments.out, judge_smoke(read(arguments.record), band))


def measure(arguments: argparse.Namespace) -> None:
    """Turn records into tables."""
    from sweetspot.measure.tables import measure_files
    from sweetspot.run.outcomes import record_paths

    plan = read_plan(arguments.plan)
    records = record_paths(arguments.run, plan)
    processes = len(os.sched_getaffinity(0)) if len(records) > _WORTH_A_POOL else 1
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, table in measure_files(records, plan, processes).items():
        table.write_parquet(arguments.out / f"{name}.parquet")


def summarise(arguments: argparse.Namespace) -> None:
    """Pool the passes of each variant and load, and compare it with its baseline."""
    from sweetspot.analyse.hosts import summarise_hosts
    from sweetspot.analyse.table_file import read_table

    tables = {name: read_table(arguments.measure / f"{name}.parquet") for name in _TABLES}
    summary, apart = summarise_hosts(tables, read_plan(arguments.plan))
    summary.write_parquet(arguments.out)
    apart.write_parquet(arguments.apart)


def nccl(arguments: argparse.Namespace) -> None:
    """Say what NCCL did under each variant, and what bare all-reduces predict of the verify."""
    from sweetspot.analyse.nccl_files import read_probed
    from sweetspot.analyse.nccl_prediction import bare, predict
    from sweetspot.analyse.nccl_proof import prove
    from sweetspot.analyse.table_file import read_table

    names = list(dict.fromkeys(variant["nccl"] for variant in read_plan(arguments.plan)["variants"]))
    probed = read_probed(arguments.study, names)
    proof = prove(probed)
    summary = read_table(arguments.summary).to_dicts()
    prediction = predict(probed, proof["reference"], summary)
    write_json(arguments.out, {**proof, "times": bare(probed), "prediction": prediction})


def verdict(arguments: argparse.Namespace) -> None:
    """Judge each variant, and name the winner."""
    from sweetspot.analyse.table_file import read_table
    from sweetspot.analyse.verdict import judge

    load, nccl = read_plan(arguments.plan)["verdict_load"], read_nccl(arguments.nccl)
    write_json(arguments.out, judge(read_table(arguments.summary), load, nccl))


def recheck(arguments: argparse.Namespace) -> None:
    """Plan the second stage: what the verdict rests on, measured with one load and with a load each."""
    from sweetspot.analyse.equality import doubted
    from sweetspot.analyse.table_file import read_table
    from sweetspot.study import Study

    variants = doubted(read_table(arguments.summary), read_verdict(arguments.verdict))
    arguments.out.write_text(Study.load(arguments.study).recheck(variants).to_json())


def equality(arguments: argparse.Namespace) -> None:
    """Hold the one-load launches of the second stage against its dedicated ones."""
    from sweetspot.analyse.equality import equality
    from sweetspot.measure.tables import measure_files
    from sweetspot.run.outcomes import record_paths

    plan = read_plan(arguments.plan)
    tables = measure_files(record_paths(arguments.run, plan), plan, processes=1)
    write_json(arguments.out, equality(tables, plan))


def settle(arguments: argparse.Namespace) -> None:
    """Write the plan whose records decide: the first, or where one load was refuted a launch each."""
    from sweetspot.study import Study

    study = Study.load(arguments.study)
    arguments.out.write_text(study.settled(read_equality(arguments.equality)["holds"]).to_json())
