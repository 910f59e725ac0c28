"""The sources that measure, and the protocol number that says which measurements may be compared."""

import ast
import hashlib
import io
import tokenize
from pathlib import Path

from sweetspot.run.job import PROTOCOL

PACKAGE = Path(__file__).parents[2] / "sweetspot"
MEASURING = [
    *("run/client.py", "run/job.py", "run/passes.py", "run/record.py", "run/runner.py", "run/stream.py"),
    "run/switch.py",
    *("engine/base.py", "engine/environment.py", "engine/keeper.py", "engine/process.py", "engine/sglang.py"),
    *("engine/cpu/site", "engine/plugin/site", "models/config_files.py", "models/construct.py"),
    *("models/orbit.py", "models/safetensors_file.py", "models/spec.py", "models/tokenize_prompts.py"),
    *("models/layered.py", "models/weights.py"),
]

# What the protocol's sources were when somebody last decided about the number.
DECIDED = {"protocol": 2, "digest": "6d8c90c09f92ec3f"}


def digest_of(sources: list[Path]) -> str:
    """Return a hash of the lines of *sources*, without comments, docstrings and empty lines."""
    digest = hashlib.sha256()
    for source in sources:
        text = source.read_text()
        lines = text.splitlines()
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                lines[row - 1] = lines[row - 1][:column]
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                lines[node.lineno - 1 : node.end_lineno] = [""] * (
                    int(str(node.end_lineno)) - node.lineno + 1
                )
        digest.update("\n".join(line.rstrip() for line in lines if line.strip()).encode())
    return digest.hexdigest()[:16]


def measuring_sources() -> list[Path]:
    """Return the files that decide what a record says."""
    places = [PACKAGE / name for name in MEASURING]
    return [path for place in places for path in (sorted(place.rglob("*.py")) if place.is_dir() else [place])]


def test_a_change_of_what_is_measured_asks_for_a_decision() -> None:
    """Sources and number agree with what was decided last.

    If this fails, decide: does the change alter what a record says of the same server? Then raise PROTOCOL,
    and every study is measured again (and CONSTRUCTION, if it is the constructed pair that changed, or the
    old one stays in `.models/`). If not, keep it. Either way write the new digest here.
    """
    assert {"protocol": PROTOCOL, "digest": digest_of(measuring_sources())} == DECIDED


def test_a_comment_asks_for_none(tmp_path: Path) -> None:
    """Comments and docstrings are no part of what a source does; a number is."""
    versions = [
        "def f():\n    return 1\n",
        'def f():\n    "Why."\n    return 1  # one\n',
        "def f():\n    return 2\n",
    ]
    digests = []
    for number, text in enumerate(versions):
        path = tmp_path / f"{number}.py"
        path.write_text(text)
        digests.append(digest_of([path]))

    assert digests[0] == digests[1] != digests[2]
