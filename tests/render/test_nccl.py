"""What is said of NCCL, and the figure of predicted against measured."""

import math
from copy import deepcopy

from matplotlib.figure import Figure

from sweetspot.render.nccl import proofs, to_markdown, variant_lines
from sweetspot.render.nccl_axes import draw_allreduce, draw_nccl, say_why_empty
from sweetspot.render.report import ReportContext, report
from tests.render.conftest import NCCL


class TestVariantLines:
    """Tests of `variant_lines`."""

    def test_proof_and_merger(self) -> None:
        """Each variant with its status, why, and whether it is another by another name."""
        assert variant_lines(NCCL) == [
            "NCCL variant default: seen",
            "NCCL variant ll: seen, without effect: the same as default",
            "NCCL variant simple: ignored (NCCL chose RING LL all the same)",
        ]


class TestProofs:
    """Tests of `proofs`."""

    def test_messages_that_were_served_alike_share_a_row(self) -> None:
        """Of three messages two went one way: two rows, sizes rising, each named once."""
        (message,) = NCCL["messages"]
        ways = [(24576, "LL"), (8192, "LL"), (8192, "LL"), (1 << 20, "SIMPLE")]
        messages = [message | {"bytes": size, "protocol": protocol} for size, protocol in ways]

        found = proofs(NCCL | {"messages": messages})

        assert [row["protocol"] for row in found] == ["LL", "SIMPLE"]
        assert [row["sizes"] for row in found] == [[8192, 24576], [1 << 20]]

    def test_the_line_on_a_variant_names_what_was_seen(self) -> None:
        """Algorithm and protocol are the proof."""
        (message,) = NCCL["messages"]

        line, *_ = variant_lines(NCCL | {"messages": [message | {"nccl": "default"}]})

        assert line == "NCCL variant default: seen (RING LL)"


class TestToMarkdown:
    """Tests of `to_markdown`."""

    def test_both_tables(self) -> None:
        """What NCCL chose at each size, and predicted beside measured, with the unexplained rest."""
        text = to_markdown(NCCL)

        assert "| simple | 24 | RING LL | 2 | ignored: NCCL chose RING LL all the same |" in text
        assert "| s2.simple | 1 | 65 | 8.00 [7.90, 8.20] | 0.520 | 6.00 | 0.100 | 0.20 [0.05, 0.35] |" in text

    def test_one_round(self) -> None:
        """The difference has no interval, and the table shows none."""
        (row,) = NCCL["prediction"]
        alone = row | {"measured_difference_low_s": None, "measured_difference_high_s": None}

        assert "| 0.100 | 0.200 | 0.100 |" in to_markdown(NCCL | {"prediction": [alone]})

    def test_what_nccl_does_not_serve(self) -> None:
        """The verify is shown, and no bare all-reduce of NCCL's beside it."""
        (row,) = (row for row in NCCL["prediction"] if row["variant"] == "s2.simple")
        nothing = dict.fromkeys(name for name in row if "difference" in name or name == "rest_s")

        text = to_markdown(deepcopy(NCCL) | {"prediction": [row | nothing | {"on_the_path": False}]})

        assert "| s2.simple | 1 | 65 | – | – | 6.00 | – | – | – |" in text

    def test_of_no_message(self) -> None:
        """On one GPU there is nothing to show."""
        assert to_markdown({"reference": "default", "variants": {}, "messages": [], "prediction": []}) == ""


class TestDrawNccl:
    """Tests of `draw_nccl`."""

    def test_each_variant_has_its_row(self) -> None:
        """Predicted and measured in milliseconds, the measured one with its interval, beside its name."""
        axes = Figure().subplots()

        draw_nccl(axes, NCCL["prediction"], ["none.simple", "s2.simple"], "default")

        drawn = {str(line.get_label()): line for line in axes.lines}
        assert drawn["predicted by bare all-reduces"].get_xydata().tolist() == [[0.1, 1]]
        assert drawn["measured"].get_xydata().tolist() == [[0.2, 1]]
        assert axes.collections[0].get_segments()[0].round(3).tolist() == [[0.05, 1], [0.35, 1]]
        assert [label.get_text() for label in axes.get_yticklabels()] == ["none.simple", "s2.simple"]
        assert "load 1" in axes.get_xlabel() and "[ms]" in axes.get_xlabel()

    def test_what_nccl_does_not_serve(self) -> None:
        """It was measured, and nothing was predicted of it."""
        axes, (row,) = Figure().subplots(), NCCL["prediction"]

        draw_nccl(axes, [row | {"predicted_difference_s": None}], ["s2.simple"], "default")

        drawn = {str(line.get_label()): line.get_xdata() for line in axes.lines}
        assert math.isnan(drawn["predicted by bare all-reduces"][0])
        assert drawn["measured"] == [0.2]


class TestSayWhyEmpty:
    """Tests of `say_why_empty`."""

    def test_of_one_variant(self) -> None:
        """The axes say what is known of the first."""
        axes = Figure().subplots()

        say_why_empty(axes, NCCL)

        assert axes.texts[0].get_text() == "nothing to draw: NCCL variant default: seen"


class TestDrawAllreduce:
    """Tests of `draw_allreduce`."""

    def test_time_against_size(self) -> None:
        """In microseconds and KiB, from 0, with the middle half of the replays."""
        axes = Figure().subplots()

        draw_allreduce(axes, NCCL)

        line, _, (bars,) = axes.containers[0].lines
        assert [list(map(float, data)) for data in line.get_data()] == [[8, 24], [8, 8]]
        assert [round(float(y)) for _, y in bars.get_segments()[0]] == [7, 10]
        assert axes.get_ylim()[0] == 0
        assert axes.xaxis.get_major_formatter()(8.0) == "8"

    def test_without_a_time(self) -> None:
        """The axes say why they are empty."""
        axes = Figure().subplots()

        draw_allreduce(axes, {"times": [], "variants": {}})

        assert axes.texts[0].get_text() == "nothing to draw: no NCCL variant was probed"


class TestInTheReport:
    """Tests of the report's section."""

    def test_proof_and_prediction(self, context: ReportContext) -> None:
        """Both tables are on the page."""
        page = report(context)

        assert "NCCL variant simple: ignored (NCCL chose RING LL all the same)" in page
        assert "8.00 [7.90, 8.20]" in page
