"""Starts a server under a keeper, follows its log, and stops it with everything that it started."""

import os
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from sweetspot.engine import keeper
from sweetspot.engine.causes import cause
from sweetspot.engine.redact import Redactor

GRACE_S = 20.0  # between asking a server to end and killing it
LAST_WORDS = 40
PLUGINS = "sweetspot_"  # how a line begins in which one of our plugins refuses to go on


class ServerProcess:
    """One server process. A context manager: leaving it ends the server and waits until nothing is left.

    Args:
        command: What to run.
        environment: The whole environment of the server.
        log: File that its output goes to, redacted, as it comes.
        redactor: What must not stand in the log.
        held: File descriptors that stay open until the last of the server's processes is gone.
    """

    def __init__(
        self,
        command: list[str],
        environment: dict[str, str],
        log: Path,
        redactor: Redactor,
        held: tuple[int, ...] = (),
    ) -> None:
        self._command = command
        self._environment = environment
        self._log = log
        self._redactor = redactor
        self._held = held
        self._last_words: deque[str] = deque(maxlen=LAST_WORDS)
        self._refusal: str | None = None

    def __enter__(self) -> Self:
        """Start the server; it does not answer yet."""
        keeper.adopt_orphans()  # should the keeper be killed, its server's orphans come to us
        read_end, self._lifeline = os.pipe()
        self._keeper = subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__, str(read_end), str(GRACE_S), *self._command],
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(read_end, *self._held),
            start_new_session=True,  # Ctrl-C is for the runner, which then stops the server in order
        )
        os.close(read_end)
        assert self._keeper.stdout is not None
        self._reader = threading.Thread(target=self._follow, args=(self._keeper.stdout,), daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End the server and all it started; return when the last process is gone."""
        os.close(self._lifeline)
        self._keeper.wait()
        keeper.kill_descendants()
        self._reader.join()

    def exit_status(self) -> int | None:
        """Return how the server ended, as a shell counts it, or None while it runs."""
        return self._keeper.poll()

    def last_words(self) -> list[str]:
        """Return the last lines of its log, redacted."""
        return list(self._last_words)

    def reason(self) -> str:
        """Return what its log says of its failure: why a plugin of ours refused, or else the first cause."""
        if self.exit_status() is not None:
            self._reader.join()  # all of it is read
        with self._log.open(errors="replace") as log:
            causes = (cause(line) for line in log)
            return self._refusal or next(filter(None, causes), "see its last words")

    def _follow(self, output: IO[bytes]) -> None:
        with self._log.open("w") as log:
            for raw in output:
                line = self._redactor.text(raw.decode(errors="replace"))
                self._last_words.append(line.rstrip("\n"))
                if line.startswith(PLUGINS):
                    self._refusal = line.rstrip("\n")
                log.write(line)
                log.flush()
