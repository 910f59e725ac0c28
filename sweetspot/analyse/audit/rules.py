"""All rules, by the kind of fact they look at. docs/audit.md has an example of each. Pure."""

from collections.abc import Callable, Iterator

from sweetspot.analyse.audit import (
    rule_banners,
    rule_claims,
    rule_columns,
    rule_constants,
    rule_counts,
    rule_identity,
    rule_lines,
    rule_logs,
    rule_means,
    rule_pace,
    rule_phases,
    rule_rates,
    rule_same,
    rule_speed,
    rule_sweep,
)
from sweetspot.analyse.audit.conventions import Reading
from sweetspot.analyse.audit.facts import Facts
from sweetspot.analyse.audit.report import Finding

OF_TABLE: tuple[Callable[[list[Reading]], Iterator[Finding]], ...] = (
    rule_identity.mixed_convention,
    rule_identity.identity,
    rule_identity.accept_length_bound,
)
OF_TEXT: tuple[Callable[[Facts], Iterator[Finding]], ...] = (
    rule_claims.percent,
    rule_claims.percent_of_baseline,
    rule_claims.draft_token_factor,
    rule_banners.banner_speed,
    rule_banners.banner_accept_length,
    rule_banners.banner_phases,
    rule_phases.phase_sum,
    rule_phases.draft_time_falls,
    rule_rates.accept_rate,
    rule_rates.accept_rate_said,
    rule_logs.sglang_accept_rate,
    rule_logs.vllm_metrics,
    rule_speed.speedup,
    rule_speed.change,
    rule_columns.columns,
    rule_columns.brackets,
    rule_constants.constants,
    rule_means.means,
    rule_lines.printed,
    rule_pace.time_per_token,
    rule_pace.request_time_per_token,
    rule_pace.requests_in_flight,
    rule_counts.counts,
    rule_counts.accepted_per_cycle,
    rule_counts.shares_by_position,
    rule_counts.time_between_chunks,
    rule_counts.requests_at_once,
    rule_counts.tails,
    rule_sweep.accept_length_falls,
    rule_same.same_configuration,
    rule_sweep.sweep_gaps,
)


def findings(facts: Facts) -> Iterator[Finding]:
    """Yield what every rule finds."""
    for rows in facts.tables:
        table = facts.readings_of(rows)
        for of_table in OF_TABLE:
            yield from of_table(table)
        yield from rule_identity.range_one_end(table, _elsewhere(facts))
    for of_text in OF_TEXT:
        yield from of_text(facts)


def _elsewhere(facts: Facts) -> list[tuple[str, float]]:
    """Return tokens a cycle that other runs imply, and which runs these are."""
    found = [(r.row.called, r.implied.middle) for r in facts.readings if r.implied is not None]
    return found + list(rule_same.untuned_lengths(facts))
