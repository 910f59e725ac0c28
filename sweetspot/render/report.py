"""Turns a study into one page that needs nothing else: no network, no script, no second file.

Whatever comes from outside (names, log lines) is escaped by the template.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sweetspot.analyse.digits import NOTHING, rounded
from sweetspot.analyse.hosts import Apart
from sweetspot.render import columns, nccl, svg, table, theme
from sweetspot.render.cautions import cautions, reported_cautions
from sweetspot.render.equality import equality_remarks
from sweetspot.render.rows import Row, judged_rows, loads_of
from sweetspot.render.timer import timer_costs


@dataclass(frozen=True)
class ReportContext:
    """All that a report tells."""

    plan: dict[str, Any]  # of plan.json, as is the verdict of verdict.json
    host: dict[str, Any]  # of any record, as are engine and models
    engine: dict[str, Any]
    models: dict[str, Any]
    summary: pl.DataFrame  # one row a variant and load
    verdict: dict[str, Any]
    nccl: dict[str, Any]  # of nccl.json
    apart: list[Apart]  # what other kinds of hosts measured
    failures: list[dict[str, Any]]  # as `sweetspot.run.outcomes.failures` returns them
    figures: dict[str, str]  # text of each SVG, by its name in `figures.save_all`
    protocol: int  # what is measured and how, as the records say
    launch_command: str | None  # of the winner; None before it is written
    equality: dict[str, Any] | None = None  # of equality.json, of a study that has one


@dataclass(frozen=True)
class ReportedContext:
    """All that a report on somebody's figures tells."""

    name: str  # of the study
    reported: dict[str, Any]  # of reported.yaml
    summary: pl.DataFrame  # one row a variant, as is the verdict from these figures alone
    verdict: dict[str, Any]
    figures: dict[str, str]  # text of each SVG, by its name in `figures.save_all`
    audit: str  # of what the source states


_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def report(context: ReportContext) -> str:
    """Return the page."""
    compared = _compared(judged_rows(context.summary, context.verdict))
    return _page(
        "report.html.j2",
        context,
        study=context.plan["study"],
        cautions=cautions(context.plan, context.engine, context.models),
        provenance=_provenance(context),
        compared=compared,
        apart={
            apart.host: (apart.verdict["sentence"], _by_load(judged_rows(*apart[1:])))
            for apart in context.apart
        },
        exactness=Counter(row["exact"] for row in compared),
        equality=equality_remarks(context.equality) if context.equality else [],
        nccl=nccl,
    )


def report_reported(context: ReportedContext) -> str:
    """Return the page about figures that were reported: every part says that there are no records."""
    source = context.reported["source"]
    return _page(
        "reported.html.j2",
        context,
        study=context.name,
        cautions=reported_cautions(context.reported),
        provenance={"source": source["title"], "date": source["date"] or "not known", "records": "none"},
    )


def _page(template: str, context: ReportContext | ReportedContext, **more: Any) -> str:  # noqa: ANN401
    """Return a page from what both kinds of report show."""
    rows = judged_rows(context.summary, context.verdict)
    at_verdict_load = [row for row in rows if row["load"] == context.verdict["verdict_load"]]
    return _TEMPLATES.get_template(template).render(
        context=context,
        tables=_by_load(rows),
        at_verdict_load=at_verdict_load,
        winner=next((row for row in at_verdict_load if row["winner"]), None),
        facts=_facts,
        columns=columns,
        remarks=table.remarks,
        timer_costs=timer_costs(rows),
        rounded=rounded,
        cycle_tokens=_cycle_tokens,
        inline=svg.inline,
        palette=theme.PALETTE,
        nothing=NOTHING,
        **more,
    )


def _by_load(rows: Sequence[Row]) -> dict[int, list[Row]]:
    """Return *rows* by their load."""
    return {load: [row for row in rows if row["load"] == load] for load in loads_of(rows)}


def _provenance(context: ReportContext) -> dict[str, str]:
    """Return the one line that tells two reports apart, label by label."""
    engine, host, plan = context.engine, context.host, context.plan
    packages = [
        f"{name} {version}"
        for name, version in engine["packages"].items()
        if name in ("sglang", "torch") or name.startswith("nvidia-nccl")
    ]
    gpus = Counter(gpu["name"] for gpu in host["gpus"])
    machine = [f"{count} × {name}" for name, count in gpus.items()] or ["no GPU"]
    machine.append(f"{host['cpu']['model']}, {host['cpu']['usable_cores']} cores")
    return {
        "engine": ", ".join([engine["name"], *packages]),
        "host": "; ".join(machine),
        "prompts": f"sha256 {context.plan['prompts_sha256'][:12]}",
        "protocol": str(context.protocol),
        "measured": f"rounds {plan['rounds']}, repeats {plan['workload']['repeats']}",
    }


def _compared(rows: Sequence[Row]) -> list[Row]:
    """Return the rows whose tokens were compared with the baseline's, or should have been."""
    return [row for row in rows if row["exact"] not in (None, "reference")]


def _cycle_tokens(row: Row) -> str:
    """Return the tokens that a cycle of *row* yields one request by the clock alone."""
    if row["cycle_s"] is None:
        return NOTHING
    return rounded(row["decode_tokens_per_s"] / row["load"] * row["cycle_s"])


def _facts(data: Any, name: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401  any JSON
    """Yield each value in *data* with its name, `cpu.model` or `gpus.0.name`."""
    if isinstance(data, dict | list):
        items = data.items() if isinstance(data, dict) else enumerate(data)
        for key, value in items:
            yield from _facts(value, f"{name}.{key}" if name else str(key))
    else:
        yield name, NOTHING if data is None else str(data)
