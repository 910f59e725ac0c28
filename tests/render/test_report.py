import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest
from markupsafe import escape

from sweetspot.analyse.hosts import Apart
from sweetspot.render.report import ReportContext, report


class Page(HTMLParser):
    """Collects what the tests ask of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep each tag with its attributes."""
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        self.text += data


@pytest.fixture
def drawn(context: ReportContext, saved: list[Path]) -> ReportContext:
    """The context, with figures."""
    return replace(context, figures={path.stem: path.read_text() for path in saved if path.suffix == ".svg"})


def test_stands_alone(drawn: ReportContext) -> None:
    """The page asks for nothing: no address, no script, no second file; every link ends in the page."""
    html = report(drawn)

    page = Page(html)
    tags = {tag for tag, _ in page.tags}
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    links = [attributes["href"] for _, attributes in page.tags if "href" in attributes]
    assert not tags & {"script", "link", "img", "iframe", "object"}
    assert "http" not in html
    assert not re.search(r"\bsrc=|@import|url\((?!#)", html)
    assert len(ids) == len(set(ids))
    assert links
    assert all(link and link.startswith("#") and link[1:] in ids for link in links)


def test_can_be_read_without_seeing(drawn: ReportContext) -> None:
    """Headings descend by one, table headers have a scope, figures a label, scrolled boxes a focus."""
    page = Page(report(drawn))

    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert all("scope" in attributes for tag, attributes in page.tags if tag == "th")
    assert [a["role"] for tag, a in page.tags if tag == "svg" and a["aria-label"]] == ["img"] * 4
    assert all(a.get("tabindex") == "0" for _, a in page.tags if a.get("class") == "wide")


def test_verdict_and_cautions_come_first(context: ReportContext) -> None:
    """The sentence leads, then what it leaves open; how the numbers were made follows before any table."""
    text = Page(report(context)).text

    found = [
        text.index(words)
        for words in (
            "s2.default is 1.20 [1.19, 1.22] times as fast",
            "is the fastest as measured, and not told apart from s3k4d8.default",
            "CPU: says nothing about a GPU",
            "Acceptance is a dial",
            "engine-cpu, sglang 0.5.23, torch 2.13.0+cpu",
            "Every variant at every load",
        )
    ]
    assert found == sorted(found)


def test_tells_what_went_wrong(context: ReportContext) -> None:
    """Failures with the server's last words, inexact tokens, residuals and dropped cells are all there."""
    text = Page(report(context)).text

    assert "s5.default, round 1: stalled" in text
    assert "Capture begin\nillegal memory access" in text
    assert "5 exact, 2 inexact" in text
    assert "−0.5 %" in text
    assert "the same as s2.default" in text
    assert "beyond a near-tie" in text


def test_another_kind_of_host_is_apart(context: ReportContext, summary: pl.DataFrame) -> None:
    """Its rounds have a section with what follows from them alone; without any there is none."""
    sentence = "s2.default can't be told from none.default"
    other = Apart("8 x NVIDIA H100, driver 580", summary, context.verdict | {"sentence": sentence})

    text, alone = (Page(report(replace(context, apart=apart))).text for apart in ([other], []))

    assert text.index("Every variant at every load") < text.index("rounds on 8 x NVIDIA H100, driver 580")
    assert sentence in text
    assert text.count("s3k4d8.default") > alone.count("s3k4d8.default")
    assert "Apart" not in alone


def test_complete_study(context: ReportContext) -> None:
    """Where nothing failed or was dropped, the page says so and shows no empty table."""
    fine = replace(context, failures=[], plan=context.plan | {"dropped": []}, launch_command=None)

    text = Page(report(fine)).text

    assert "No launch failed." in text
    assert "every cell that the study asks for was planned" in text
    assert "Not written for this study." in text


def test_what_comes_from_outside_is_escaped(context: ReportContext) -> None:
    """No name, message, log line or fact becomes markup."""
    evil = "<script>alert(1)</script>\"'&"
    failure = context.failures[0] | {"launch": evil, "kind": evil, "message": evil, "last_words": [evil]}
    rows = [
        row | {"variant": row["variant"].replace("s2.ring-ll", evil), "reasons": [evil, evil]}
        for row in context.verdict["rows"]
    ]
    attacked = replace(
        context,
        plan=context.plan
        | {"study": evil, "dropped": [{"cell": evil, "reason": evil}]}
        | {"launches": [context.plan["launches"][0] | {"id": evil, "kind": evil, "reason": evil}]},
        host=context.host | {"kernel": evil, "cpu": {"model": evil, "usable_cores": 2}},
        engine=context.engine | {"packages": {"sglang": evil}},
        summary=context.summary.with_columns(pl.col("variant").replace("s2.ring-ll", evil)),
        verdict=context.verdict | {"sentence": evil, "rows": rows, "warnings": [evil]},
        failures=[failure],
        launch_command=evil,
    )

    html = report(attacked)

    assert "<script" not in html
    assert html.count(str(escape(evil))) > 20
    assert evil in Page(html).text


def test_same_page_twice(context: ReportContext) -> None:
    """Nothing of the moment is on the page."""
    assert report(context) == report(context)
