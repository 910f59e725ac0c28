"""How every figure and the report look. No state: `rc()` returns rcParams, the rest are constants.

Used as `with rc_context(theme.rc()):`, in one place, `figures.save_all`.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # a report takes the colours alone
    from matplotlib.typing import RcKeyType

WIDTH_IN = 5  # one column of the report; a phone shows it at two thirds
SMALL_PT = 7.5  # words inside the axes, and below them

# Each colour on a light and on a dark page. Those of the series are Okabe and Ito's, which colour-blind eyes
# tell apart. No two are equal on the light page: the report finds the colours of a figure by their value.
PALETTE = {
    "ink": ("#1f2328", "#e8eaed"),
    "muted": ("#5d6670", "#a3acb6"),
    "grid": ("#d9dde2", "#3b434d"),
    "surface": ("#ffffff", "#14181d"),
    "blue": ("#0072b2", "#4fb0ea"),
    "orange": ("#e69f00", "#f2b632"),
    "green": ("#009e73", "#2ec99c"),
    "vermillion": ("#d55e00", "#ff8748"),
    "purple": ("#cc79a7", "#e5a3c8"),
    "sky": ("#56b4e9", "#9ad6fb"),
}
COLOURS = {name: light for name, (light, _) in PALETTE.items()}

# 6 colours and 7 markers: 42 series before a pair comes again.
SERIES_COLOURS = [COLOURS[name] for name in ("blue", "orange", "green", "vermillion", "purple", "sky")]
SERIES_MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
PHASE_COLOURS = {
    "draft": COLOURS["orange"],
    "verify": COLOURS["blue"],
    "extend": COLOURS["purple"],
    "decode": COLOURS["sky"],
    "other": COLOURS["grid"],
    "cycle": COLOURS["muted"],
}
# What a file would say of the day it was drawn, or of a version, and is kept out.
METADATA: dict[str, dict[str, str | None]] = {
    "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
    "png": {"Software": None},
}


def rc() -> "dict[RcKeyType, Any]":
    """Return the rcParams of every figure."""
    return {
        "figure.facecolor": COLOURS["surface"],
        "savefig.dpi": 200,
        "svg.hashsalt": "sweetspot",
        "font.family": ["DejaVu Sans"],  # comes with matplotlib: the same letters on each machine
        "font.size": 8.5,
        "text.parse_math": False,  # a name may hold a dollar sign
        "text.color": COLOURS["ink"],
        "axes.labelcolor": COLOURS["ink"],
        "axes.edgecolor": COLOURS["muted"],
        "axes.facecolor": "none",
        "axes.linewidth": 0.7,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "grid.color": COLOURS["grid"],
        "grid.linewidth": 0.6,
        "xtick.color": COLOURS["muted"],
        "ytick.color": COLOURS["muted"],
        "xtick.labelcolor": COLOURS["ink"],
        "ytick.labelcolor": COLOURS["ink"],
        "legend.frameon": False,
        "legend.fontsize": 8,
        "lines.markersize": 4.5,
        "lines.linewidth": 1.3,
    }
