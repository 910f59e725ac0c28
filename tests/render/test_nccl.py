"""What is said of NCCL, and the figure of predicted against measured."""

from copy import deepcopy

from matplotlib.figure import Figure

from sweetspot.render.nccl import to_markdown, variant_lines
from sweetspot.render.nccl_axes import draw_allreduce, draw_nccl
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


class TestToMarkdown:
    """Tests of `to_markdown`."""

    def test_both_tables(self) -> None:
        """What NCCL chose at each size, and predicted beside measured, with the unexplained rest."""
        text = to_markdown(NCCL)

        assert "| simple | 3 | 1 | 24576 | RING LL | 2 | ignored: NCCL chose RING LL all the same |" in text
        assert "| s2.simple | 1 | 65 | 8.00 [7.90, 8.20] | 0.520 | 6.00 | 0.100 | 0.200 | −0.100 |" in text

    def test_what_nccl_does_not_serve(self) -> None:
        """The verify is shown, and no bare all-reduce of NCCL's beside it."""
        (row,) = (row for row in NCCL["prediction"] if row["variant"] == "s2.simple")
        nothing = dict.fromkeys(("predicted_difference_s", "measured_difference_s", "rest_s"))

        text = to_markdown(deepcopy(NCCL) | {"prediction": [row | nothing | {"on_the_path": False}]})

        assert "| s2.simple | 1 | 65 | – | – | 6.00 | – | – | – |" in text

    def test_of_no_message(self) -> None:
        """On one GPU there is nothing to show."""
        assert to_markdown({"reference": "default", "variants": {}, "messages": [], "prediction": []}) == ""


class TestDrawNccl:
    """Tests of `draw_nccl`."""

    def test_a_point_for_each_difference(self) -> None:
        """In milliseconds, with the line of equality and units on both axes."""
        axes = Figure().subplots()

        draw_nccl(axes, NCCL)

        simple = next(line for line in axes.lines if line.get_label() == "simple")
        assert [list(map(float, data)) for data in simple.get_data()] == [[0.1], [0.2]]
        assert "as predicted" in axes.get_legend_handles_labels()[1]
        assert "[ms]" in axes.get_xlabel() and "[ms]" in axes.get_ylabel()

    def test_without_a_difference(self) -> None:
        """The axes say why they are empty."""
        axes, nothing = Figure().subplots(), deepcopy(NCCL) | {"prediction": []}

        draw_nccl(axes, nothing)

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
