"""Tests of `sweetspot.engine.redact`: secrets and names never reach a file."""

import getpass
import socket
from pathlib import Path

import pytest

from sweetspot.engine.redact import Redactor


class TestRedactor:
    """Tests of `Redactor`."""

    def test_secrets_names_and_paths(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        """A key, the host, the user, the home folder and this folder are gone; the rest stays."""
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(socket, "gethostname", lambda: "node7")
        monkeypatch.setattr(getpass, "getuser", lambda: "ada")
        monkeypatch.setattr(Path, "home", lambda: Path("/home/ada"))
        monkeypatch.setenv("HF_TOKEN", "hf_0123456789")
        redactor = Redactor("k3y-k3y-k3y")

        text = redactor.text(
            f"k3y-k3y-k3y, hf_0123456789 on node7 by ada: {tmp_path}/models, /home/ada/x, node77, Nevada"
        )

        assert text == "<hidden>, <hidden> on <host> by <user>: models, ~/x, node77, Nevada"

    @pytest.mark.parametrize("name", ["node7", "node7.cluster.example"])
    def test_a_host_with_and_without_its_domain(self, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
        """Whichever form the host knows itself by, both are gone."""
        monkeypatch.setattr(socket, "gethostname", lambda: name)

        assert Redactor().text("at node7 and node7.cluster.example:80") == "at <host> and <host>:80"

    def test_a_user_without_a_name(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """In a container a user may be a number alone."""

        def nobody() -> str:
            raise KeyError("getpwuid(): uid not found: 4711")

        monkeypatch.setattr(getpass, "getuser", nobody)

        assert Redactor().text("as ever") == "as ever"

    def test_keys_of_secrets(self) -> None:
        """A value is hidden by its key, at any depth, also if nobody knew the secret; tiktoken is none."""
        data = {"a": [{"api_key": "x", "hf_token": "y", "tiktoken": "0.14", "admin_api_key": None}]}

        hidden = {"api_key": "<hidden>", "hf_token": "<hidden>", "tiktoken": "0.14", "admin_api_key": None}
        assert Redactor().data(data) == {"a": [hidden]}

    def test_root_is_a_common_word(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The name of the superuser names nobody."""
        monkeypatch.setattr(getpass, "getuser", lambda: "root")

        assert Redactor().text("root of the tree") == "root of the tree"
