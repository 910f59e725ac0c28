"""The columns of the table to read: their headings, the text of each cell, and what they mean. Pure."""

from collections.abc import Callable
from dataclasses import dataclass

from sweetspot.analyse.digits import NOTHING, rounded, speed_text, speedup_text
from sweetspot.render.rows import Row, is_reported, why_missing


@dataclass(frozen=True)
class Column:
    """A column of the table to read: its heading, the unit in brackets, and the text of a row's cell."""

    heading: str
    text: Callable[[Row], str]
    number: bool = True


def verdict_text(row: Row) -> str:
    """Return the verdict of *row*, whether it is a control, and the kind of failure where a launch failed."""
    if row["status"] == "failed":
        return f"failed: {why_missing(row)}"
    partial = f" (partial: {why_missing(row)})" if row["status"] == "partial" else ""
    return f"{row['verdict']}{' (control)' if row['control'] else ''}{partial}"


def exact_text(row: Row) -> str:
    """Return whether the tokens of *row* are the baseline's, and at which they first differ."""
    if row["first_divergence"] is None:
        return row["exact"] or NOTHING
    return f"{row['exact']} (token {row['first_divergence']})"


def residual_text(row: Row) -> str:
    """Return by how much the identity of *row* misses, in percent of its accept_length."""
    if row["identity_residual"] is None:
        return NOTHING
    percent = round(100 * row["identity_residual"], 1) + 0.0  # no minus before a nought
    return f"{percent:+.1f} %".replace("-", "−")


def percent_text(share: float | None) -> str:
    """Return *share* in percent."""
    return NOTHING if share is None else f"{100 * share:.1f} %"


def milliseconds_text(seconds: float | None) -> str:
    """Return *seconds* in milliseconds."""
    return NOTHING if seconds is None else rounded(1000 * seconds)


COLUMNS = [
    Column("variant", lambda row: str(row["variant"]), number=False),
    Column("verdict", verdict_text, number=False),
    Column("decode speed [tok/s]", speed_text),
    Column("speedup over its baseline [×]", speedup_text),
    Column("accept_length (bonus incl.) [tokens/cycle]", lambda row: rounded(row["accept_length"])),
    Column(
        "break-even accept_length (bonus incl.) [tokens/cycle]",
        lambda row: rounded(row["break_even_accept_length"]),
    ),
    Column("accept_rate (accepted / proposed drafts)", lambda row: _accept_rate(row)),
    Column("cycle [ms]", lambda row: milliseconds_text(row["cycle_s"])),
    Column("draft [ms]", lambda row: _phase(row, "draft")),
    Column("verify or decode [ms]", lambda row: _phase(row, "verify", "decode")),
    Column("extend [ms]", lambda row: _phase(row, "extend")),
    Column("other [ms]", lambda row: _phase(row, "other")),
    Column("host [ms]", lambda row: milliseconds_text(row.get("host_s"))),
    Column("identity residual", residual_text),
    Column("tokens as the baseline's", exact_text, number=False),
    Column("rounds, passes", lambda row: _counts(row)),
    Column("launch", lambda row: row["launch"] or NOTHING, number=False),
]

NOTES = [
    "One table for each load (requests in flight). The first row is the baseline: the same server, arguments "
    "and prompts without speculation, once for each NCCL variant. A speedup is over the row's own baseline.",
    "Brackets hold the interval of the value before them, which has the digits that the interval supports; "
    f"[{NOTHING}] stands where there were too few rounds for one.",
    "Decode speed counts the tokens after each request's first, of all requests in flight. accept_length is "
    "what a request gains in one cycle, the bonus token included; below break-even, speculation loses. "
    "accept_rate is followed by how many drafts were proposed.",
    "cycle and its phases draft, verify (of a baseline decode), extend and other are the timer's inside the "
    "server, by the GPU's clock (on a CPU the host's), means without intervals; without a timer the cycle is "
    "the time between chunks. host is the call's time on the host, which on a GPU runs ahead of the phases "
    "beside it and is no part of them.",
    "identity residual: by how much decode speed × cycle time misses the accept_length of the server's "
    "counters (above load 1: tokens a chunk, of all chunks). It shows counters of another run, time that was "
    "missed, and cycles that came together.",
    "rounds, passes: in how many rounds the row was measured, and how many passes that were in all. launch: "
    "the server start that it shares with the other rows of that name.",
]
REPORTED_NOTES = [
    "Every number is as its source states it, or follows from that by arithmetic. Nothing was measured here, "
    f"no raw records exist, and [{NOTHING}] stands for the interval that no number has.",
    "A speedup is the plain quotient of two stated speeds. accept_length has the bonus token included, "
    "whichever way the source counts; break-even is the baseline's stated speed × the stated cycle time.",
    "identity residual: by how much stated speed × stated cycle time misses accept_length, where that is "
    "stated as one number.",
]


def notes_on(row: Row) -> list[str]:
    """Return what the columns of tables with rows like *row* mean."""
    return REPORTED_NOTES if is_reported(row) else NOTES


def _phase(row: Row, *phases: str) -> str:
    told = [seconds for phase in phases if (seconds := row.get(f"{phase}_s")) is not None]
    return milliseconds_text(told[0] if told else None)


def _counts(row: Row) -> str:
    return NOTHING if is_reported(row) else f"{row['rounds'] or 0}, {row['passes'] or 0}"


def _accept_rate(row: Row) -> str:
    if row["accept_rate"] is None:
        return NOTHING
    return f"{row['accept_rate']:.3f} of {row['proposed_drafts']}"
