"""Every error that a user can meet. Its one line is `<where>: <found>, <expected>; <what helps>`."""

import errno

_REMEDIES = {
    **dict.fromkeys(
        (errno.ENOSPC, errno.EDQUOT), "expected room for it; make some, `df -h . /tmp` says where"
    ),
    **dict.fromkeys((errno.EACCES, errno.EPERM, errno.EROFS), "expected to be let; give this user the right"),
    **dict.fromkeys(
        (errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP),
        "expected a file or a folder that is there; correct the path",
    ),
}


def explain(error: OSError) -> str | None:
    """Return the line of an *error* that a file, a path or a disk is to blame for, None of any other."""
    remedy = _REMEDIES.get(error.errno or 0)
    return remedy and f"{str(error.filename or 'a file')[:200]}: {error.strerror}, {remedy}"


class SweetspotError(Exception):
    """Base of all errors that are the input's fault or the machine's, not the program's."""


class StudyError(SweetspotError):
    """A study file is misspelt, contradictory, or asks for what the engine can't do."""


class InstallError(SweetspotError):
    """An environment is not what its lock pins, or can't be built."""


class ModelError(SweetspotError):
    """A model or a prompts file is missing, damaged, or does not fit."""


class EngineError(SweetspotError):
    """A server did not start, died, or did not answer as its version should.

    Args:
        message: The line.
        kind: What a failed launch is filed under: `start_died`, `start_timeout`, `died`, `stalled`,
            `refused` (an HTTP status other than 200), `bad_answer`, `no_switch` (it ran another step count
            than it was told), `untimed` (no cycles, though they were to be timed), or `given_up` (it was not
            started, since it had failed in earlier rounds).
    """

    def __init__(self, message: str, kind: str) -> None:
        super().__init__(message)
        self.kind = kind


class RunError(SweetspotError):
    """A launch can't be measured on this host now."""


class RecordError(SweetspotError):
    """A record is unreadable, of another format, or not of the launch that was planned."""


class MeasureError(SweetspotError):
    """Records are inconsistent, so no number can be computed from them."""
