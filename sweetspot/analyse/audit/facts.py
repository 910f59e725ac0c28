"""Everything that was read out of one text, as the rules see it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from sweetspot.analyse.audit.banners import Banner
from sweetspot.analyse.audit.conventions import Reading
from sweetspot.analyse.audit.figures import Figure
from sweetspot.analyse.audit.matrix import Matrix
from sweetspot.analyse.audit.prose import Said, Sentence
from sweetspot.analyse.audit.rows import Row
from sweetspot.measure.server_log import LogRow


@dataclass(frozen=True)
class Facts:
    """Rows of tables and records, readings of their accept lengths, sentences and what they say."""

    text: str
    rows: Sequence[Row]
    readings: Sequence[Reading]
    sentences: Sequence[Sentence]
    said: Sequence[Said]
    draft_tokens: dict[int, int]  # that prose gives for a step count
    banners: Sequence[Banner]
    log: Sequence[LogRow]  # the lines of server logs
    matrices: Sequence[Matrix]

    @cached_property
    def tables(self) -> list[list[Row]]:
        """The rows of each table, JSON text or log."""
        groups: dict[str, list[Row]] = {}
        for row in self.rows:
            groups.setdefault(row.source if row.kind == "table" else row.kind, []).append(row)
        return list(groups.values())

    def readings_of(self, rows: Sequence[Row]) -> list[Reading]:
        """Return the readings of some rows."""
        return [self._reading[id(row)] for row in rows if id(row) in self._reading]

    @cached_property
    def _reading(self) -> dict[int, Reading]:
        """Return the reading of each row that has one."""
        return {id(reading.row): reading for reading in self.readings}

    @cached_property
    def baseline_speeds(self) -> list[Figure]:
        """Speeds that the text calls the baseline's."""
        found = [said.speed for said in self.said if said.num_steps is None]
        for row in self.rows:
            found += [item.figure for item in row.measured.get("tokens_per_s", []) if row.baseline]
            found += [item.figure for item in row.measured.get("baseline_tokens_per_s", [])]
        return found

    def speeds_of(self, num_steps: int) -> list[Figure]:
        """Return the speeds given for a step count, those said to be without tuning left out."""
        found = [said.speed for said in self.said if said.num_steps == num_steps and not said.untuned]
        for row in self.rows:
            if row.num_steps == num_steps:
                found += [item.figure for item in row.measured.get("tokens_per_s", [])]
        return found
