"""One row of a table or record: a configuration, what was measured of it, and where it stands. Pure."""

from dataclasses import dataclass, field

from sweetspot.analyse.audit.figures import Figure
from sweetspot.analyse.audit.names import Name
from sweetspot.analyse.audit.places import Place

SETTINGS = ("num_steps", "topk", "draft_tokens", "spec_tokens", "batch")


@dataclass(frozen=True)
class Measured:
    """One figure of a row, and the name it stands under."""

    name: Name
    figure: Figure
    batch: int | None = None  # if the name says so


@dataclass
class Row:
    """One configuration of a table, a record or a log."""

    source: str  # table 1, record 2, ...
    label: str
    place: Place
    words: str = ""  # all that the row says besides figures
    measured: dict[str, list[Measured]] = field(default_factory=dict)
    tails: dict[str, dict[str, Figure]] = field(default_factory=dict)  # what -> mean, median, p99, ...
    num_steps: int | None = None
    topk: int | None = None
    draft_tokens: int | None = None  # as SGLang counts them: the root of the tree too
    spec_tokens: int | None = None  # drafts a cycle, as vLLM counts them
    batch: int | None = None
    baseline: bool = False
    kind: str = "table"  # table, record, bench_speculative, log

    def first(self, metric: str) -> Figure | None:
        """Return the first figure of *metric*, or None."""
        found = self.measured.get(metric)
        return found[0].figure if found else None

    @property
    def drafts(self) -> int | None:
        """Drafts in the longest chain that a cycle can accept, or None if it is not told."""
        return self.num_steps if self.num_steps is not None else self.spec_tokens

    @property
    def called(self) -> str:
        """How messages name it."""
        return f"{self.source}, {self.label}" if self.label else self.source
