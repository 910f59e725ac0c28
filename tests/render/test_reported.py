import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from markupsafe import escape

from sweetspot.analyse.reported import judge_reported, summarise_reported
from sweetspot.analyse.reported_file import read
from sweetspot.render.cautions import reported_cautions
from sweetspot.render.figures import save_all
from sweetspot.render.report import ReportedContext, report_reported
from sweetspot.render.table import to_csv, to_markdown

KIMI = Path(__file__).parents[2] / "results" / "published" / "kimi-k2.5-int4" / "reported.yaml"


@pytest.fixture(scope="module")
def reported() -> dict[str, Any]:
    """The published figures."""
    return read(KIMI)


@pytest.fixture(scope="module")
def frame(reported: dict[str, Any]) -> pl.DataFrame:
    """Their summary."""
    return summarise_reported(reported)


@pytest.fixture(scope="module")
def figures(frame: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Their figures, drawn once."""
    return save_all(frame, judge_reported(frame), tmp_path_factory.mktemp("figures"))


@pytest.fixture
def context(reported: dict[str, Any], frame: pl.DataFrame, figures: list[Path]) -> ReportedContext:
    """All that the page tells."""
    svgs = {path.stem: path.read_text() for path in figures if path.suffix == ".svg"}
    return ReportedContext("kimi-k2.5-int4", reported, frame, judge_reported(frame), svgs, "1 contradiction")


def text_of(html: str) -> str:
    """Return what a reader of the page sees."""
    parts: list[str] = []
    parser = HTMLParser()
    parser.handle_data = parts.append  # type: ignore[method-assign]
    parser.feed(html)
    return " ".join(" ".join(parts).split())


def test_table(reported: dict[str, Any], frame: pl.DataFrame) -> None:
    """The table holds the stated numbers with no interval, and says what they are before and after."""
    cautions = [f"{title}: {text}" for title, text in reported_cautions(reported)]

    markdown = to_markdown(frame, judge_reported(frame), [*cautions, *reported["notes"]])

    assert markdown.startswith("Reported, not measured here")
    assert (
        "| s1.ring-ll-sys | reported | 85.1 [–] | 0.958 [–] | 1.62 | 1.67 | – | 18.8 "
        "| 1.07 | 17.4 | 0.320 | 0.00 | – | −1.3 % | – | – |" in markdown
    )
    assert "| s5.default | reported | 71.3 [–] | 0.803 [–] | – | – | – | – | – | 28.7 | – |" in markdown
    assert "\n- Reported, not measured: " in markdown
    assert "too few rounds" not in markdown
    assert all(note in markdown for note in reported["notes"])


def test_csv(frame: pl.DataFrame) -> None:
    """Each row says that it is reported, and what was stated where accept_length was reconciled."""
    rows = list(csv.DictReader(io.StringIO(to_csv(frame, judge_reported(frame), ["Reported, not measured"]))))

    assert {row["reported"] for row in rows} == {"true"}
    assert {row["cautions"] for row in rows} == {'["Reported, not measured"]'}
    assert rows[2]["accept_length_stated"] == "about 1.85 to 2.12"


def test_figures_say_what_they_are(figures: list[Path]) -> None:
    """No figure of acceptance by position, which nobody stated; the others bear the caution in themselves."""
    assert [path.name for path in figures] == [
        f"{name}.{kind}" for name in ("speed", "cycle", "accept-length") for kind in ("svg", "png")
    ]
    for svg in (path.read_text() for path in figures if path.suffix == ".svg"):
        assert "reported figures: no raw records, no intervals" in svg
        assert "clearly faster" not in svg


def test_report(context: ReportedContext) -> None:
    """The page leads with the caution, and holds notes and what is stated, but no section on records."""
    html = report_reported(context)

    text = text_of(html)
    order = [
        text.index(words)
        for words in (
            "no winner",
            "Reported, not measured.",
            "Every variant at every load",
            "What to know before using these figures",
            "accept length as stated",
        )
    ]
    assert order == sorted(order)
    assert html.count("<svg ") == 3
    assert "clearly faster" not in text
    for section in ("Launch command", "Exactness", "Latency", "with its interval", "study's records alone"):
        assert section not in text


def test_report_stands_alone(context: ReportedContext) -> None:
    """No address, no script, no second file; links end in the page."""
    html = report_reported(context)

    ids = re.findall(r' id="([^"]+)"', html)
    assert "http" not in html
    assert "<script" not in html
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'<a href="#([^"]+)"', html)) <= set(ids)


def test_what_comes_from_outside_is_escaped(context: ReportedContext) -> None:
    """No note, title or stated word becomes markup."""
    evil = "<script>alert(1)</script>"
    source = {"title": evil, "date": evil, "where": evil}
    reported = context.reported | {"source": source, "notes": [evil], "setting": {evil: evil}}

    html = report_reported(ReportedContext(evil, reported, context.summary, context.verdict, {}, evil))

    assert "<script" not in html
    assert html.count(str(escape(evil))) > 8


def test_same_bytes_twice(
    context: ReportedContext, frame: pl.DataFrame, figures: list[Path], tmp_path: Path
) -> None:
    """The same figures give the same page and the same files."""
    again = save_all(frame, judge_reported(frame), tmp_path)

    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in figures]
    assert report_reported(context) == report_reported(context)
