"""Runs one server and outlives it, so that none of its processes is left, whoever dies first.

usage: keeper.py LIFELINE GRACE_S COMMAND...

LIFELINE is the number of a pipe's read end whose write end only the runner holds. When it closes, because
the runner let go or was killed, the server is told to end, and after GRACE_S seconds whatever it started is
killed. All descendants count, also those in sessions of their own: this process adopts orphans. Run as a
script, standard library only, so that it starts in milliseconds.
"""

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from pathlib import Path

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
POLL_S = 0.05
FIRST_OF_OURS = 3  # file descriptor: the server gets the standard three, and not the lifeline or a lock


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent dies."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent(number: int, parent: int) -> None:
    """Receive the signal *number* when the thread of *parent* that started this process ends.

    Args:
        number: Of the signal.
        parent: Process id. If that is the parent no longer, it has died already, and this process ends.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(128 + number)


def descendants(ancestor: int) -> list[int]:
    """Return the process ids of everything that *ancestor* started and that still runs."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, after_name = int(stat.parent.name), stat.read_text().rpartition(")")[2].split()
        except (OSError, ValueError):
            continue  # it ended while we looked
        if after_name[0] != "Z":
            children.setdefault(int(after_name[1]), []).append(pid)
    found, frontier = [], [ancestor]
    while frontier:
        frontier = [child for parent in frontier for child in children.get(parent, [])]
        found += frontier
    return found


def kill_descendants() -> None:
    """Kill whatever this process started, until nothing is left, nor a zombie of it."""
    while left := descendants(os.getpid()):
        for pid in left:
            _signal(pid, signal.SIGKILL)
        _reap()
        time.sleep(0.01)
    _reap()


def main() -> int:
    """Keep the server that the command line names; return its exit status, as a shell counts it."""
    lifeline, grace_s, command = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    adopt_orphans()
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):  # the one that listed them is closed again
            os.set_inheritable(int(descriptor.name), int(descriptor.name) < FIRST_OF_OURS)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the lifeline is the only order it takes
    keeper = os.getpid()
    server = os.fork()
    if server == 0:
        die_with_parent(signal.SIGKILL, keeper)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)
    status = None
    while status is None:
        if select.select([lifeline], [], [], POLL_S)[0]:
            _signal(server, signal.SIGTERM)
            status = _wait(server, grace_s)
            break
        status = _reap().get(server)
    kill_descendants()
    return 128 + signal.SIGKILL if status is None else status


def _wait(pid: int, seconds: float) -> int | None:
    """Return the exit status of *pid* once it ends, None if that takes longer than *seconds*."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if (status := _reap().get(pid)) is not None:
            return status
        time.sleep(POLL_S)
    return None


def _reap() -> dict[int, int]:
    """Return the exit statuses of the children, own and adopted, that have ended since the last call."""
    ended: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if pid == 0:
            return ended
        code = os.waitstatus_to_exitcode(status)
        ended[pid] = 128 - code if code < 0 else code


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


if __name__ == "__main__":
    sys.exit(main())
