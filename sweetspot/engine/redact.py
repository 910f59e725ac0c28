"""Takes secrets, and what names a machine or its users, out of whatever is written."""

import getpass
import os
import re
import socket
from pathlib import Path
from typing import Any

SECRET = re.compile(r"api_?key|(^|[_-])token$|secret|passw|credential", re.IGNORECASE)
HIDDEN = "<hidden>"
SHORTEST_SECRET = 8  # characters; what is shorter also stands in innocent text


class Redactor:
    """Replaces what must not be published by what it was.

    The values of secret-looking variables of this process are secrets too.

    Args:
        secrets: Strings that may stand nowhere.
    """

    def __init__(self, *secrets: str) -> None:
        inherited = [value for name, value in os.environ.items() if SECRET.search(name)]
        hidden = [secret for secret in (*secrets, *inherited) if len(secret) >= SHORTEST_SECRET]
        here, home, host = str(Path.cwd()), str(Path.home()), socket.gethostname().partition(".")[0]
        self._plain = [(secret, HIDDEN) for secret in hidden] + [(f"{here}/", ""), (here, ".")]
        # ASSUME: a home folder of one level is a service's, and its name a common word
        self._plain += [(home, "~")] if home.count("/") > 1 else []
        self._words = [(re.compile(rf"(?<![\w.-]){re.escape(host)}(\.[\w.-]+)?(?![\w-])"), "<host>")]
        if (user := _user()) and user != "root":
            self._words.append((re.compile(rf"(?<![\w.-]){re.escape(user)}(?![\w-])"), "<user>"))

    def text(self, text: str) -> str:
        """Return *text* without secrets, the host's and the user's name, and paths to this folder."""
        for found, name in self._plain:
            text = text.replace(found, name)
        for pattern, name in self._words:
            text = pattern.sub(name, text)
        return text

    def data(self, data: Any) -> Any:  # noqa: ANN401  any JSON
        """Return *data*, any JSON, with every string redacted and the value of every secret's key hidden."""
        if isinstance(data, dict):
            return {
                key: HIDDEN if SECRET.search(key) and isinstance(value, str) else self.data(value)
                for key, value in data.items()
            }
        if isinstance(data, list):
            return [self.data(item) for item in data]
        return self.text(data) if isinstance(data, str) else data


def _user() -> str | None:
    """Return who runs this, None for a number without a name, as in a container."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return None
