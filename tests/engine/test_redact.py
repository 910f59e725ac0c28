import getpass
import socket
from pathlib import Path

import pytest

from sweetspot.engine.redact import Redactor, inherited_environment, visible_environment


class TestRedactor:
    """Tests of `Redactor`."""

    def test_secrets_names_and_paths(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """A key, the host, the user, the home folder and this folder are gone; the rest stays."""
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(socket, "gethostname", lambda: "node7")
        monkeypatch.setattr(getpass, "getuser", lambda: "ada")
        monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
        redactor = Redactor("k3y")

        text = redactor.text(f"k3y on node7 by ada: {tmp_path}/models, /home/ada/x, node77, Nevada")

        assert text == "<hidden> on <host> by <user>: models, ~/x, node77, Nevada"

    def test_keys_of_secrets(self) -> None:
        """A value is hidden by its key, at any depth, also if nobody knew the secret; numbers are none."""
        data = {"a": [{"api_key": "x", "hf_token": "y", "max_new_tokens": 3, "admin_api_key": None}]}

        hidden = {"api_key": "<hidden>", "hf_token": "<hidden>", "max_new_tokens": 3, "admin_api_key": None}
        assert Redactor().data(data) == {"a": [hidden]}

    def test_root_is_a_common_word(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The name of the superuser names nobody."""
        monkeypatch.setattr(getpass, "getuser", lambda: "root")

        assert Redactor().text("root of the tree") == "root of the tree"


def test_what_is_recorded_of_the_environment() -> None:
    """Variables that change a server are kept, those of no consequence and secrets are not."""
    environment = {"NCCL_PROTO": "LL", "HF_TOKEN": "secret", "EDITOR": "vi", "OMP_NUM_THREADS": "1"}

    assert visible_environment(environment) == {"NCCL_PROTO": "LL", "OMP_NUM_THREADS": "1"}


def test_what_snakemake_sets_is_not_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Snakemake's thread variables, which follow --cores, never reach a server."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    monkeypatch.setenv("NCCL_NVLS_ENABLE", "0")

    inherited = inherited_environment()

    assert "OMP_NUM_THREADS" not in inherited
    assert "PYTHONPATH" not in inherited
    assert inherited["NCCL_NVLS_ENABLE"] == "0"
