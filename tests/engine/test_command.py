"""Tests of `sweetspot.engine.command`: what a server's command line is made of."""

import json
import socket
from pathlib import Path

from sweetspot.engine.command import LOOPBACK, command_line, free_port, write_candidates


def test_each_kind_of_value() -> None:
    """A bare flag, one value, several values: every word by itself, numbers as they are written."""
    args = {
        "tp-size": 8,
        "trust-remote-code": True,
        "mem-fraction-static": 0.88,
        "cuda-graph-bs": [1, 2, "4"],
    }

    assert command_line(args) == [
        *("--tp-size", "8", "--trust-remote-code", "--mem-fraction-static", "0.88"),
        *("--cuda-graph-bs", "1", "2", "4"),
    ]


def test_candidates_lie_beside_the_log(tmp_path: Path) -> None:
    """One entry in SGLang's own form holds for all batch sizes, the steps rising."""
    place = write_candidates([3, 0, 1], tmp_path / "0.server.log")

    assert place == tmp_path / "0.server.steps.json"
    assert json.loads(place.read_text()) == {"1": {"candidate_steps": [0, 1, 3]}}


def test_a_port_that_is_free() -> None:
    """A server can listen on it."""
    port = free_port()

    with socket.create_server((LOOPBACK, port)) as server:
        assert server.getsockname()[1] == port
