"""The command line: one verb for each rule. A verb reads files, calls one function and writes its outputs.

Each verb imports what it needs itself, so that `run` stays with the standard library and httpx.
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sweetspot.errors import SweetspotError

_WORTH_A_POOL = 50  # records: for fewer, starting processes takes longer than reading


def env(arguments: argparse.Namespace) -> None:
    """Install an environment from its lock and write what is in it."""
    from sweetspot.host import env, installed

    env.build(arguments.name, arguments.extra_index)
    _write(arguments.out, installed.record(arguments.name))


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
    _write(arguments.out, engines.describe(study.values["engine"], arguments.name, study.python))


def models(arguments: argparse.Namespace) -> None:
    """Find or construct a study's models, and write where they lie and what they are."""
    from sweetspot.models.prepare import find
    from sweetspot.study import Study

    study = Study.load(arguments.study)
    _write(arguments.out, find(study.values["models"], study.interpreter()))


def prompts(arguments: argparse.Namespace) -> None:
    """Turn a study's prompts into token ids."""
    from sweetspot.models.prepare import tokenize
    from sweetspot.study import Study

    study = Study.load(arguments.study)
    target = Path(_read(study.folder / "models.json")["target"]["folder"])
    trust = study.plan.launches[0].args.get("trust-remote-code") is True
    tokenize(study.values["prompts"], target, study.interpreter(), trust, arguments.out)


def host(arguments: argparse.Namespace) -> None:
    """Write what machine this is, without its name."""
    from sweetspot.host.facts import facts

    _write(arguments.out, facts())


def node(arguments: argparse.Namespace) -> None:
    """Write which node this is: that of a round, for all of its launches."""
    from sweetspot.host import node

    _write(arguments.out, {"name": node.name(), "label": node.label(node.name())})


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
    host = _read(study.folder / "host.json")
    prompts = [json.loads(line) for line in (study.folder / "prompts.jsonl").read_text().splitlines()]
    with host_lock():  # another study that measures here is waited for, not found in the way
        checked = preflight(study.plan, host, prompts)
    _write(arguments.out, checked + check_pair(study.plan, study.folders, study.trained_on, host, prompts))


def smoke(arguments: argparse.Namespace) -> None:
    """Say from the short run before a sweep whether the draft is alive, and as good as the study expects."""
    from sweetspot.analyse.smoke import judge_smoke
    from sweetspot.run.record import read
    from sweetspot.study import Study

    band = Study.load(arguments.study).values["smoke"]["accept_length"]
    _write(arguments.out, judge_smoke(read(arguments.record), band))


def run(arguments: argparse.Namespace) -> None:
    """Measure one launch in one round. A launch that fails is recorded as such."""
    from sweetspot.host import node
    from sweetspot.host.facts import facts, fingerprint
    from sweetspot.run.job import Places
    from sweetspot.run.runner import run

    _end_with(arguments.parent)
    limits = {"start_s": arguments.start_s, "stall_s": arguments.stall_s}
    folders = {"target": arguments.target, "draft": arguments.draft}
    places = Places(folders, _interpreter(arguments.python))
    node.check(arguments.node, fingerprint(facts()), arguments.host)
    run(arguments.results, _read(arguments.asked), limits, places, arguments.out)


def probe(arguments: argparse.Namespace) -> None:
    """Start the server once under an NCCL variant, and keep what NCCL says of it."""
    from sweetspot.run.job import engine_of
    from sweetspot.run.probe import probe

    _end_with(arguments.parent)
    engine = engine_of(_read(arguments.engine)["name"], _interpreter(arguments.python))
    folders = {"target": arguments.target, "draft": arguments.draft}
    limits = {"start_s": arguments.start_s, "stall_s": arguments.stall_s}
    probe(_read(arguments.asked), engine, folders, limits, arguments.out)


def allreduce(arguments: argparse.Namespace) -> None:
    """Time bare all-reduces of a study's sizes under an NCCL variant."""
    from sweetspot.run.allreduce import allreduce
    from sweetspot.run.job import engine_of

    _end_with(arguments.parent)
    installed = _read(arguments.engine)
    engine = engine_of(installed["name"], _interpreter(arguments.python))
    asked, probed = _read(arguments.asked), _read(arguments.probe)
    allreduce(asked, probed, engine, installed["packages"]["sglang"], arguments.out)


def measure(arguments: argparse.Namespace) -> None:
    """Turn records into tables."""
    from sweetspot.measure.tables import measure_files
    from sweetspot.run.outcomes import record_paths

    plan = _read(arguments.plan)
    records = record_paths(arguments.run, plan)
    processes = len(os.sched_getaffinity(0)) if len(records) > _WORTH_A_POOL else 1
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, table in measure_files(records, plan, processes).items():
        table.write_parquet(arguments.out / f"{name}.parquet")


def summarise(arguments: argparse.Namespace) -> None:
    """Pool the passes of each variant and load, and compare it with its baseline."""
    import polars as pl

    from sweetspot.analyse.hosts import summarise_hosts

    tables = {path.stem: pl.read_parquet(path) for path in arguments.measure.glob("*.parquet")}
    summary, apart = summarise_hosts(tables, _read(arguments.plan))
    summary.write_parquet(arguments.out)
    apart.write_parquet(arguments.apart)


def nccl(arguments: argparse.Namespace) -> None:
    """Say what NCCL did under each variant, and what bare all-reduces predict of the verify."""
    import polars as pl

    from sweetspot.analyse.nccl_files import read_probed
    from sweetspot.analyse.nccl_prediction import predict, times
    from sweetspot.analyse.nccl_proof import prove

    names = list(dict.fromkeys(variant["nccl"] for variant in _read(arguments.plan)["variants"]))
    probed = read_probed(arguments.study, names)
    proof = prove(probed)
    summary = pl.read_parquet(arguments.summary).to_dicts()
    prediction = predict(probed, proof["reference"], summary)
    bare = [
        {"nccl": name, "bytes": size, **took}
        for name, found in probed.items()
        for size, took in times(found).items()
    ]
    _write(arguments.out, {**proof, "times": bare, "prediction": prediction})


def banner(arguments: argparse.Namespace) -> None:
    """Write what the timer saw of each variant, as the banner that others print."""
    import polars as pl

    from sweetspot.analyse.banner import banners

    passes = pl.read_parquet(arguments.measure / "passes.parquet")
    arguments.out.write_text(banners(passes, _read(arguments.plan)))


def verdict(arguments: argparse.Namespace) -> None:
    """Judge each variant, and name the winner."""
    import polars as pl

    from sweetspot.analyse.verdict import judge

    load, nccl = _read(arguments.plan)["verdict_load"], _read(arguments.nccl)
    _write(arguments.out, judge(pl.read_parquet(arguments.summary), load, nccl))


def recheck(arguments: argparse.Namespace) -> None:
    """Plan the second stage: what the verdict rests on, measured with one load and with a load each."""
    import polars as pl

    from sweetspot.analyse.equality import doubted
    from sweetspot.study import Study

    variants = doubted(pl.read_parquet(arguments.summary), _read(arguments.verdict))
    arguments.out.write_text(Study.load(arguments.study).recheck(variants).to_json())


def equality(arguments: argparse.Namespace) -> None:
    """Hold one-load launches against dedicated ones."""
    from sweetspot.analyse.equality import equality
    from sweetspot.measure.tables import measure_files
    from sweetspot.run.outcomes import record_paths

    plan = _read(arguments.plan)
    tables = measure_files(record_paths(arguments.run, plan), plan, processes=1)
    _write(arguments.out, equality(tables["passes"], plan))


def settle(arguments: argparse.Namespace) -> None:
    """Write the plan whose records decide: the first one, or a launch for each variant if it was refuted."""
    from sweetspot.study import Study

    study = Study.load(arguments.study)
    final = study.plan if _read(arguments.equality)["holds"] else study.dedicated()
    arguments.out.write_text(final.to_json())


def command(arguments: argparse.Namespace) -> None:
    """Write the winner's command and environment, as it was measured."""
    from sweetspot.render.launch import launch_script
    from sweetspot.run.outcomes import record_paths

    plan = _read(arguments.plan)
    record = _read(record_paths(arguments.run, plan)[0])
    winner = _read(arguments.verdict)["winner"] or plan["variants"][0]["id"]
    arguments.out.write_text(launch_script(plan, winner, record["models"], record["engine"]))


def table(arguments: argparse.Namespace) -> None:
    """Write the comparison to read, and with every digit."""
    import polars as pl

    from sweetspot.analyse.hosts import judge_apart
    from sweetspot.render import nccl
    from sweetspot.render.cautions import cautions
    from sweetspot.render.equality import equality_remarks
    from sweetspot.render.table import apart_to_markdown, notes_on_launches, to_csv, to_markdown
    from sweetspot.run.outcomes import record_paths

    summary, verdict, plan = (
        pl.read_parquet(arguments.summary),
        _read(arguments.verdict),
        _read(arguments.plan),
    )
    record = _read(record_paths(arguments.run, plan)[0])
    warned = cautions(plan, record["engine"], record["models"])
    notes = [f"{title}: {text}" for title, text in warned]
    notes += [remark for path in arguments.equality for remark in equality_remarks(_read(path))]
    found = _read(arguments.nccl)
    notes += [*notes_on_launches(plan), *nccl.variant_lines(found)]
    apart = apart_to_markdown(judge_apart(pl.read_parquet(arguments.apart), plan["verdict_load"]))
    arguments.markdown.write_text(to_markdown(summary, verdict, notes) + nccl.to_markdown(found) + apart)
    arguments.csv.write_text(to_csv(summary, verdict, [title for title, _ in warned]))


def figures(arguments: argparse.Namespace) -> None:
    """Draw the figures."""
    import polars as pl

    from sweetspot.render.cautions import cautions
    from sweetspot.render.figures import save_all
    from sweetspot.run.outcomes import record_paths

    plan = _read(arguments.plan)
    record = _read(record_paths(arguments.run, plan)[0])
    titles = [title for title, _ in cautions(plan, record["engine"], record["models"])]
    arguments.out.mkdir(parents=True, exist_ok=True)
    summary, verdict = pl.read_parquet(arguments.summary), _read(arguments.verdict)
    save_all(summary, verdict, arguments.out, _read(arguments.nccl), titles)


def report(arguments: argparse.Namespace) -> None:
    """Put the verdict, the table, the figures and where they come from on one page."""
    import polars as pl

    from sweetspot.analyse.hosts import judge_apart
    from sweetspot.render.report import ReportContext, report
    from sweetspot.run.outcomes import failures, record_paths

    plan = _read(arguments.plan)
    paths = record_paths(arguments.run, plan)
    record = _read(paths[0])  # what is read of it, all have alike
    context = ReportContext(
        plan=plan,
        host=record["host"],
        engine=record["engine"],
        models=record["models"],
        protocol=record["protocol"],
        summary=pl.read_parquet(arguments.summary),
        verdict=_read(arguments.verdict),
        nccl=_read(arguments.nccl),
        apart=judge_apart(pl.read_parquet(arguments.apart), plan["verdict_load"]),
        failures=failures(paths),
        figures={path.stem: path.read_text() for path in sorted(arguments.figures.glob("*.svg"))},
        launch_command=arguments.command.read_text(),
        equality=next((_read(path) for path in arguments.equality), None),
    )
    arguments.out.write_text(report(context))


def reported(arguments: argparse.Namespace) -> None:
    """Render figures that somebody published without records, and the audit of what is stated."""
    from sweetspot.analyse.audit import audit, format
    from sweetspot.analyse.reported import judge_reported, summarise_reported
    from sweetspot.analyse.reported_file import read
    from sweetspot.render.cautions import reported_cautions
    from sweetspot.render.figures import save_all
    from sweetspot.render.report import ReportedContext, report_reported
    from sweetspot.render.table import to_csv, to_markdown

    figures, out = read(arguments.figures), arguments.out
    summary = summarise_reported(figures)
    verdict = judge_reported(summary)
    (out / "figures").mkdir(parents=True, exist_ok=True)
    summary.write_parquet(out / "summary.parquet")
    _write(out / "verdict.json", verdict)
    cautions = reported_cautions(figures)
    notes = [f"{title}: {text}" for title, text in cautions]
    (out / "table.md").write_text(to_markdown(summary, verdict, [*notes, *figures["notes"]]))
    (out / "table.csv").write_text(to_csv(summary, verdict, [title for title, _ in cautions]))
    drawn = save_all(summary, verdict, out / "figures")
    svgs = {path.stem: path.read_text() for path in drawn if path.suffix == ".svg"}
    audited = format(audit(arguments.statement.read_text(), arguments.statement.name))
    (out / "audit.txt").write_text(audited + "\n")
    context = ReportedContext(out.name, figures, summary, verdict, svgs, audited)
    (out / "report.html").write_text(report_reported(context))


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


def check(arguments: argparse.Namespace) -> None:
    """Fail if a launch failed, after the report has shown it, with the server's last words."""
    from sweetspot.run.outcomes import check, record_paths

    paths = {path for plan in arguments.plans for path in record_paths(arguments.run, _read(plan))}
    _write(arguments.out, check(sorted(paths)))


def publish(arguments: argparse.Namespace) -> None:
    """Copy a complete study into results/published/, where git keeps it and no rule writes."""
    from sweetspot.published import publish
    from sweetspot.study import Study

    print(publish(arguments.study, Study.load(arguments.study).folder))


def main(words: Sequence[str] | None = None) -> int:
    """Run one verb; return its status, or 2 after one line about a fault of the input or the machine."""
    arguments = parser().parse_args(words)
    try:
        status: int | None = arguments.verb(arguments)
        sys.stdout.flush()
        return status or 0
    except BrokenPipeError:  # its reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except SweetspotError as error:
        print(error, file=sys.stderr)
        return 2


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(prog="sweetspot", description="Find the fastest speculative decoding.")
    verbs = top.add_subparsers(required=True, metavar="VERB")

    def add(verb: Callable[[argparse.Namespace], int | None], *paths: str) -> argparse.ArgumentParser:
        words = str(verb.__doc__)
        added = verbs.add_parser(verb.__name__, help=words.splitlines()[0], description=words)
        added.set_defaults(verb=verb)
        for path in paths:
            added.add_argument(f"--{path}", type=Path, required=True)
        return added

    built = add(env, "out")
    built.add_argument("name")
    built.add_argument("--extra-index")
    add(lock).add_argument("names", nargs="*", metavar="NAME")
    planned = add(plan)
    planned.add_argument("--out", type=Path)
    for named in (planned, add(publish)):
        named.add_argument("study", type=Path, nargs="?", default=Path("config.yaml"))
    add(engine, "study", "out").add_argument("name")
    for verb in (models, prompts, preflight):
        add(verb, "study", "out")
    add(host, "out")
    add(smoke, "study", "record", "out")
    add(node, "out")
    servers = [
        add(run, "results", "asked", "node", "target", "draft", "out"),
        add(probe, "asked", "engine", "target", "draft", "out"),
    ]
    servers[0].add_argument("--host", required=True, help="the kind of host to measure on, or any")
    for started in servers:
        started.add_argument("--start-s", type=float, required=True)
        started.add_argument("--stall-s", type=float, required=True)
    timed = add(allreduce, "asked", "engine", "probe", "out")
    for started in (*servers, timed):
        started.add_argument("--python", required=True, help="interpreter of an external engine, or -")
        started.add_argument("--parent", type=int, default=os.getppid(), help="process whose death ends it")
    add(measure, "run", "plan", "out")
    add(summarise, "measure", "plan", "out", "apart")
    add(nccl, "study", "summary", "plan", "out")
    add(banner, "measure", "plan", "out")
    add(verdict, "summary", "plan", "nccl", "out")
    add(recheck, "study", "summary", "verdict", "out")
    add(equality, "plan", "run", "out")
    add(settle, "study", "equality", "out")
    add(command, "run", "plan", "verdict", "out")
    tabled = add(table, "run", "plan", "summary", "apart", "nccl", "verdict", "markdown", "csv")
    add(figures, "run", "plan", "summary", "nccl", "verdict", "out")
    told = add(report, "run", "plan", "summary", "apart", "nccl", "verdict", "command", "figures", "out")
    for shown in (tabled, told):
        shown.add_argument("--equality", type=Path, nargs="*", default=[], help="of a study that proved it")
    add(check, "run", "out").add_argument("--plans", type=Path, nargs="+", required=True)
    add(audit).add_argument("file", type=Path, metavar="FILE")
    add(reported, "figures", "statement", "out")
    compared = add(compare)
    compared.add_argument("a", type=Path, metavar="results/A")
    compared.add_argument("b", type=Path, metavar="results/B")
    return top


def _interpreter(word: str) -> Path | None:
    """Return the interpreter of an external engine, which is `-` for any other."""
    return None if word == "-" else Path(word)


def _end_with(parent: int) -> None:
    """End in order when told to, and when the process *parent* dies: a killed Snakemake takes it along."""
    from sweetspot.engine.keeper import die_with_parent

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda received, frame: sys.exit(128 + received))
    die_with_parent(signal.SIGTERM, parent)


def _read(path: Path) -> Any:  # noqa: ANN401  any JSON
    return json.loads(path.read_text())


def _write(path: Path, data: Any) -> None:  # noqa: ANN401  any JSON
    from sweetspot.run.record import write

    write(data, path)
