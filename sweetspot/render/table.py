"""Turns the summary and the verdict into the table: Markdown to read, CSV with every number. Pure."""

import json
from collections.abc import Sequence
from typing import Any

import polars as pl

from sweetspot.analyse.hosts import Apart
from sweetspot.analyse.wording import listed
from sweetspot.render.columns import COLUMNS, notes_on
from sweetspot.render.rows import Row, judged_rows, loads_of
from sweetspot.render.timer import timer_costs

# What a number is counted in, where the summary's name for it does not say.
_CSV_NAMES = {
    "load": "load_requests",
    "speedup": "speedup_ratio",
    "speedup_low": "speedup_low_ratio",
    "speedup_high": "speedup_high_ratio",
    "accept_length": "accept_length_bonus_included_tokens",
    "break_even_accept_length": "break_even_accept_length_bonus_included_tokens",
    "accept_length_from_histogram": "accept_length_from_histogram_bonus_included_tokens",
    "accept_rate": "accept_rate_of_proposed_drafts",
    "acceptance_by_position": "acceptance_by_position_share_of_cycles",
    "conditional_acceptance": "conditional_acceptance_share_of_cycles_that_got_there",
    "identity_residual": "identity_residual_share",
    "first_divergence": "first_divergence_token",
    "client_cost": "client_cost_share",
}


def to_csv(summary: pl.DataFrame, verdict: dict[str, Any], cautions: Sequence[str]) -> str:
    """Return every number of *summary*, in full, what *verdict* says of each row, and *cautions* beside each.

    Lists are JSON.
    """
    rows = [row | {"cautions": list(cautions)} for row in judged_rows(summary, verdict)]
    lists = {name for name, kind in summary.schema.items() if kind == pl.List} | {"reasons", "cautions"}
    flat = [
        {
            _CSV_NAMES.get(name, name): json.dumps(value) if name in lists and value is not None else value
            for name, value in row.items()
        }
        for row in rows
    ]
    return pl.DataFrame(flat, infer_schema_length=None).write_csv()


def to_markdown(summary: pl.DataFrame, verdict: dict[str, Any], cautions: Sequence[str]) -> str:
    """Return a table for each load, then notes: *cautions*, what is remarkable, what the columns mean."""
    rows = judged_rows(summary, verdict)
    told = [verdict["sentence"], verdict["detail"], *timer_costs(rows)]
    parts = [_escaped(words) for words in told if words]
    for load in loads_of(rows):
        parts += [
            f"## Load {load}: requests in flight",
            _markdown_table([row for row in rows if row["load"] == load]),
        ]
    notes = [*cautions, *verdict["warnings"], *remarks(rows), *notes_on(rows[0])]
    parts.append("\n".join(f"- {_escaped(note)}" for note in notes))
    return "\n\n".join(parts) + "\n"


def apart_to_markdown(apart: Sequence[Apart]) -> str:
    """Return the verdict and the tables of each further kind of host, nothing if one measured all."""
    parts = []
    for host, summary, verdict in apart:
        rows = judged_rows(summary, verdict)
        parts += [f"## Apart, since speeds of two kinds of hosts are not compared: {_escaped(host)}"]
        parts += [_escaped(verdict["sentence"])]
        for load in loads_of(rows):
            parts += [f"### Load {load}", _markdown_table([row for row in rows if row["load"] == load])]
    return "".join(f"\n{part}\n" for part in parts)


def remarks(rows: Sequence[Row]) -> list[str]:
    """Return why *rows* have their verdicts, but for those that the table tells: an interval, a failure.

    Rows with the same reasons share a line.
    """
    alike: dict[str, list[str]] = {}
    for row in rows:
        if len(row["reasons"]) > (row["verdict"] in ("faster", "slower", "failed")):
            alike.setdefault("; ".join(row["reasons"]), []).append(f"{row['variant']} at load {row['load']}")
    return [f"{listed(names)}: {reasons}" for reasons, names in alike.items()]


def notes_on_launches(plan: dict[str, Any]) -> list[str]:
    """Return why each launch of *plan* is of its kind."""
    return [f"launch {launch['id']}, {launch['kind']}: {launch['reason']}" for launch in plan["launches"]]


def _markdown_table(rows: Sequence[Row]) -> str:
    lines = [
        [column.heading for column in COLUMNS],
        ["--:" if column.number else "---" for column in COLUMNS],
    ]
    lines += [[_escaped(column.text(row)) for column in COLUMNS] for row in rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _escaped(text: str) -> str:
    """Return *text* as one line that Markdown neither splits into cells nor takes for HTML."""
    return " ".join(text.split()).replace("|", r"\|").replace("<", "&lt;")
