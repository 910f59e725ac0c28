"""What README.md and docs/ point to is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)#]*)#?([^)]*)\)")


def headings(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as they are shown on the web."""
    found = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in found}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Each link is to a file or folder of the project, and to a heading that is in it."""
    for file, heading in LINK.findall(page.read_text()):
        target = (page.parent / file).resolve() if file else page

        assert target.exists(), f"{file}: missing"
        assert not heading or heading in headings(target), f"{file}#{heading}: no such heading"
