"""Whoever dies first, a server leaves no process, no port and no lock behind."""

import contextlib
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

pytestmark = pytest.mark.server

# A runner with a server that has a child in a session of its own, as SGLang's schedulers may.
RUNNER = """
import os, sys, time
from pathlib import Path
from sweetspot.engine import process
from sweetspot.engine.process import ServerProcess
process.GRACE_S = 1.0
from sweetspot.engine.redact import Redactor
lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
import fcntl; fcntl.flock(lock, fcntl.LOCK_EX)
server = [sys.executable, "-c", sys.argv[3]]
with ServerProcess(server, dict(os.environ), Path(sys.argv[2]), Redactor(), (lock,)):
    while "ready" not in Path(sys.argv[2]).read_text() if Path(sys.argv[2]).exists() else True:
        time.sleep(0.02)
    print("ready", flush=True)
    sys.stdin.read()
"""
SERVER = """
import socket, subprocess, time

subprocess.Popen(["sleep", "600"], start_new_session=True)
port = socket.create_server(("127.0.0.1", 0))
print("port", port.getsockname()[1], flush=True)
print("ready", flush=True)
time.sleep(600)
"""


class Running:
    """A runner, its server, and what the server started."""

    def __init__(self, folder: Path, server: str = SERVER) -> None:
        self.lock, self.log = folder / "lock", folder / "log"
        self.runner = subprocess.Popen(
            [sys.executable, "-c", RUNNER, self.lock, self.log, server],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.runner.stdout is not None
        assert self.runner.stdout.readline() == "ready\n"
        self.processes = psutil.Process(self.runner.pid).children(recursive=True)
        self.port = int(self.log.read_text().split()[1])

    def left(self, within_s: float = 20) -> list[psutil.Process]:
        """Return what there still is of the server after at most *within_s* seconds.

        A runner inside this process, as other tests have it, makes it the one that reaps the orphans here.
        """
        _, left = psutil.wait_procs(self.processes, timeout=within_s)
        return left

    def port_is_free(self) -> bool:
        """Return whether nobody listens where the server did."""
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) != 0

    def lock_is_free(self) -> bool:
        """Return whether another run could start."""
        with self.lock.open("r+") as other:
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    """A runner whose server is up."""
    started = Running(tmp_path)
    yield started
    for process in started.processes:
        if process.is_running():
            process.kill()
    started.runner.kill()
    started.runner.communicate()


class TestServerProcess:
    """Tests of `ServerProcess` and its keeper."""

    def test_the_fixture_has_what_can_be_left(self, running: Running) -> None:
        """While the runner lives: keeper, server and the server's child run, port and lock are taken."""
        names = [process.cmdline()[0] for process in running.processes]

        assert len(names) == 3
        assert names[2] == "sleep"
        assert not running.port_is_free()
        assert not running.lock_is_free()

    def test_an_orderly_end(self, running: Running) -> None:
        """After the `with` nothing is left."""
        running.runner.communicate()

        assert running.left(0) == []
        assert running.port_is_free()
        assert running.lock_is_free()

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
    def test_the_runner_is_killed(self, running: Running, number: int) -> None:
        """The keeper ends the server and all it started, and the lock lasts until then."""
        running.runner.send_signal(number)

        assert running.left() == []
        assert running.port_is_free()
        assert running.lock_is_free()

    def test_the_keeper_is_killed(self, running: Running) -> None:
        """The server dies with its keeper, and the runner takes care of the server's orphans."""
        keeper, server, _ = running.processes
        keeper.kill()
        with contextlib.suppress(psutil.NoSuchProcess):
            while server.status() != psutil.STATUS_ZOMBIE:
                time.sleep(0.02)

        running.runner.communicate()

        assert running.left() == []
        assert running.lock_is_free()

    def test_a_server_that_does_not_end_is_killed(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A server that ignores the order to end is killed after the time of grace."""
        ignores = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)" + SERVER
        running = Running(tmp_path, ignores)
        began = time.monotonic()

        running.runner.kill()

        assert running.left() == []
        assert time.monotonic() - began > 1
        running.runner.communicate()


def test_the_exit_status_of_a_server_that_dies(tmp_path: Path) -> None:
    """The server's own status reaches the runner, and its last words do too."""
    from sweetspot.engine.process import ServerProcess
    from sweetspot.engine.redact import Redactor

    dies = [sys.executable, "-c", "print('the last'); raise SystemExit(7)"]
    with ServerProcess(dies, dict(os.environ), tmp_path / "log", Redactor()) as process:
        while process.exit_status() is None:
            time.sleep(0.02)

    assert process.exit_status() == 7
    assert process.last_words() == ["the last"]


def test_the_first_cause_outlives_the_last_words(tmp_path: Path) -> None:
    """One rank's error is told, though the tracebacks of the others have pushed it out of the last words."""
    from sweetspot.engine.process import ServerProcess
    from sweetspot.engine.redact import Redactor

    log = "print('TP3: CUDA out of memory'); print('TP0: waited\\n' * 60, 'TP1: illegal memory access')"
    with ServerProcess(
        [sys.executable, "-c", log], dict(os.environ), tmp_path / "log", Redactor()
    ) as process:
        while process.exit_status() is None:
            time.sleep(0.02)
        reason = process.reason()

    assert reason.startswith("it said 'TP3: CUDA out of memory'; lower mem-fraction-static")
    assert not any("out of memory" in line for line in process.last_words())
