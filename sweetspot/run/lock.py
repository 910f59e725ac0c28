"""Keeps timed runs on one host from overlapping, also those that Snakemake can't see."""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sweetspot.errors import RunError

# Every user of the host has to meet in one file; containers that share GPUs name one that they all see.
PLACE = Path(os.environ.get("SWEETSPOT_HOST_LOCK", "/tmp/sweetspot.lock"))


@contextmanager
def host_lock() -> Iterator[int]:
    """Wait until no other run measures on this host, and yield the lock's file descriptor.

    The lock belongs to the open file: it ends with the last process that holds the descriptor, however that
    process ends, so it never has to be removed.

    Raises:
        RunError: If the lock file can't be opened.
    """
    try:
        descriptor = _open()
    except OSError as error:
        raise RunError(
            f"{PLACE}: {error.strerror}, expected a file that every user may lock; "
            f"name another in SWEETSPOT_HOST_LOCK"
        ) from None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"{PLACE}: another run measures on this host; waiting for it", file=sys.stderr, flush=True)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield descriptor
    finally:
        os.close(descriptor)


def _open() -> int:
    """Open the lock file; as a new one only where there is none, or sticky folders forbid it to others."""
    try:
        return os.open(PLACE, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        descriptor = os.open(PLACE, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        os.fchmod(descriptor, 0o666)  # whatever the umask
        return descriptor
