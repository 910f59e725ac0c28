"""What Chromium sees of a page, at a width of one's choice. Without Chromium, tests that look are skipped."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from string import Template
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_BESIDE = Template(Path(__file__).with_name("beside.html").read_text())
CHROMIUM = next((found for name in _NAMES if (found := shutil.which(name))), None)
needed = pytest.mark.skipif(CHROMIUM is None, reason=f"no browser: none of {', '.join(_NAMES)} is installed")


def look(page: str, width: int, folder: Path) -> dict[str, Any]:
    """Return what Chromium sees of *page* when it is so many CSS pixels wide.

    Args:
        page: The text of an HTML file.
        width: Of the window, in CSS pixels.
        folder: For Chromium's files.

    Returns:
        `width` that the page needs; what lies `beyond` the window and can't be scrolled to; labels `outside`
        their drawing; `overlapping` ones; and how many `texts` each drawing has.
    """
    beside = folder / "beside.html"
    beside.write_text(_BESIDE.substitute(width=f"{width}px", page=html.escape(page)))
    answer = subprocess.run(
        [
            *(str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
            *(f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=5000", "--dump-dom"),
            beside.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    seen = re.search(r'<pre id="seen">(.+?)</pre>', answer.stdout, re.DOTALL)
    assert seen, answer.stderr[-2000:]
    found: dict[str, Any] = json.loads(html.unescape(seen[1]))
    return found
