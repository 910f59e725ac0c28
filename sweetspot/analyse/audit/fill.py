"""Puts a figure into a row, in seconds, tokens and shares, or into its settings. Pure."""

from sweetspot.analyse.audit.figures import Figure, seconds
from sweetspot.analyse.audit.names import TIMES, Name
from sweetspot.analyse.audit.rows import SETTINGS, Measured, Row
from sweetspot.analyse.audit.settings import batch_in

COUNTS = {"accept_length": "accepted_tokens", "draft_tokens": "drafted_tokens"}  # of a whole run, if large
REPEATED = {"position_share"}  # metrics of which a record holds several
LARGEST = {"accept_length": 65, "draft_tokens": 512}


def add(row: Row, name: Name, figure: Figure) -> None:
    """Put a figure into *row* in seconds and tokens, or into its settings."""
    metric = name.metric
    whole = figure.low == round(figure.low) and not figure.is_range and figure.low >= 0
    if metric in LARGEST and figure.low >= LARGEST[metric]:
        if whole:
            row.measured.setdefault(COUNTS[metric], []).append(Measured(name, figure))
        return
    if metric == "mean_requests" and figure.step == 1:
        metric = "batch"
    if metric in SETTINGS:
        if whole and figure.step == 1:
            setattr(row, metric, int(figure.low))
        return
    if metric == "change" and figure.unit in {"x", "×"}:
        metric = "speedup"
    if metric == "speedup" and figure.unit == "%":
        metric = "change"
    if name.statistic and (figure.unit or name.unit or metric not in TIMES):
        row.tails.setdefault(name.subject, {}).setdefault(name.statistic, figure)
    if metric.removeprefix("baseline_") in TIMES or metric == "total_s":
        unit = figure.unit if seconds(figure.unit) is not None else name.unit
        if figure.unit and seconds(figure.unit) is None:
            return
        factor = seconds(unit) if unit else (1.0 if figure.high < 1 or metric == "duration_s" else 1e-3)
        figure = figure.scaled(factor or 1.0, "s")
    if metric == "accept_rate":
        percent = figure.unit == "%" or "%" in name.text or (figure.high > 1 and figure.low > 1)
        if figure.high > (110 if percent else 1):
            return
        figure = figure.scaled(0.01, "") if percent else figure
    if name.typical and (row.kind == "table" or metric in REPEATED or metric not in row.measured):
        batch = batch_in(name.text)
        row.measured.setdefault(metric, []).append(Measured(name, figure, batch))
