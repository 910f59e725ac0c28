"""Variables that NCCL takes from files of this host, behind the back of shell and study."""

from pathlib import Path

FILES = ("/etc/nccl.conf", "~/.nccl.conf")


def nccl_conf() -> dict[str, dict[str, str]]:
    """Return what each of NCCL's files sets, files that are not there left out, by names without a user's.

    A variable in the environment beats them. NCCL reads another file in place of the user's where
    NCCL_CONF_FILE names one, which neither a shell nor a study may.
    """
    found = {}
    for name in FILES:
        try:
            text = Path(name).expanduser().read_text(errors="replace")
        except (OSError, RuntimeError):  # none, or a user without a home
            continue
        found[name] = _variables(text)
    return found


def _variables(text: str) -> dict[str, str]:
    """Return the variables in *text*, the first of a name, as NCCL reads it: it strips no space."""
    variables: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            variables.setdefault(name, value)
    return variables
