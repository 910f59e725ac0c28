"""The verbs that turn numbers into what people read."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sweetspot.cli.files import read_equality, read_nccl, read_plan, read_verdict, write_json

if TYPE_CHECKING:
    from sweetspot.render.cautions import Caution


def command(arguments: argparse.Namespace) -> None:
    """Write the winner's command and environment, as it was measured."""
    from sweetspot.render.launch import launch_script
    from sweetspot.run.outcomes import record_paths
    from sweetspot.run.record import read

    plan = read_plan(arguments.plan)
    record = read(record_paths(arguments.run, plan)[0])
    winner = read_verdict(arguments.verdict)["winner"] or plan["variants"][0]["id"]
    arguments.out.write_text(launch_script(plan, winner, record["models"], record["engine"]))


def banner(arguments: argparse.Namespace) -> None:
    """Write what the timer saw of each variant, as the banner that others print."""
    from sweetspot.analyse.banner import banners
    from sweetspot.analyse.table_file import read_table

    passes, plan = read_table(arguments.measure / "passes.parquet"), read_plan(arguments.plan)
    titles = [title for title, _ in _cautions(arguments.run, plan)]
    arguments.out.write_text(banners(passes, plan, titles))


def table(arguments: argparse.Namespace) -> None:
    """Write the comparison to read, and with every digit."""
    from sweetspot.analyse.hosts import judge_apart
    from sweetspot.analyse.table_file import read_table
    from sweetspot.render import nccl
    from sweetspot.render.equality import equality_remarks
    from sweetspot.render.table import apart_to_markdown, notes_on_launches, to_csv, to_markdown

    summary, verdict, plan = (
        read_table(arguments.summary),
        read_verdict(arguments.verdict),
        read_plan(arguments.plan),
    )
    warned = _cautions(arguments.run, plan)
    notes = [f"{title}: {text}" for title, text in warned]
    notes += [remark for path in arguments.equality for remark in equality_remarks(read_equality(path))]
    found = read_nccl(arguments.nccl)
    notes += [*notes_on_launches(plan), *nccl.variant_lines(found)]
    apart = apart_to_markdown(judge_apart(read_table(arguments.apart), plan["verdict_load"]))
    arguments.markdown.write_text(to_markdown(summary, verdict, notes) + nccl.to_markdown(found) + apart)
    arguments.csv.write_text(to_csv(summary, verdict, [title for title, _ in warned]))


def figures(arguments: argparse.Namespace) -> None:
    """Draw the figures."""
    from sweetspot.analyse.table_file import read_table
    from sweetspot.render.figures import save_all

    plan = read_plan(arguments.plan)
    titles = [title for title, _ in _cautions(arguments.run, plan)]
    arguments.out.mkdir(parents=True, exist_ok=True)
    summary, verdict = read_table(arguments.summary), read_verdict(arguments.verdict)
    save_all(summary, verdict, arguments.out, read_nccl(arguments.nccl), titles)


def report(arguments: argparse.Namespace) -> None:
    """Put the verdict, the table, the figures and where they come from on one page."""
    from sweetspot.analyse.hosts import judge_apart
    from sweetspot.analyse.table_file import read_table
    from sweetspot.render.report import ReportContext, report
    from sweetspot.run.outcomes import failures, record_paths
    from sweetspot.run.record import read

    plan = read_plan(arguments.plan)
    paths = record_paths(arguments.run, plan)
    record = read(paths[0])  # what is read of it, all have alike
    context = ReportContext(
        plan=plan,
        host=record["host"],
        engine=record["engine"],
        models=record["models"],
        protocol=record["protocol"],
        summary=read_table(arguments.summary),
        verdict=read_verdict(arguments.verdict),
        nccl=read_nccl(arguments.nccl),
        apart=judge_apart(read_table(arguments.apart), plan["verdict_load"]),
        failures=failures(paths),
        figures={path.stem: path.read_text() for path in sorted(arguments.figures.glob("*.svg"))},
        launch_command=arguments.command.read_text(),
        equality=next((read_equality(path) for path in arguments.equality), None),
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
    write_json(out / "verdict.json", verdict)
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


def _cautions(run: Path, plan: dict[str, Any]) -> "list[Caution]":
    """Return what a reader of the study must know first, from any of its records: they are alike in that."""
    from sweetspot.render.cautions import cautions
    from sweetspot.run.outcomes import record_paths
    from sweetspot.run.record import read

    record = read(record_paths(run, plan)[0])
    return cautions(plan, record["engine"], record["models"])
