"""Tests of `sweetspot/models/folders.py`."""

import re
from pathlib import Path

import pytest

from sweetspot.errors import ModelError
from sweetspot.models.folders import check_downloaded, resolve
from sweetspot.models.prepare import describe

REVISION = "0123456789abcdef0123456789abcdef01234567"


class TestResolve:
    """Tests of `resolve`."""

    def test_a_constructed_pair_lies_under_its_spec(self, tmp_path: Path) -> None:
        """Both folders follow from the spec, made or not."""
        models = {"constructed": {"shape": "tiny", "acceptance": [0.75], "seed": 0}}

        paths = resolve(models, tmp_path)

        pair = tmp_path / "tiny-0.75-seed0-construction1"
        assert paths == {"target": pair / "target", "draft": pair / "draft"}

    def test_a_path_is_taken_as_it_is(self, tmp_path: Path) -> None:
        """A folder of the user's."""
        paths = resolve({"target": {"path": "/models/big"}, "draft": {"path": "small"}}, tmp_path)

        assert paths == {"target": Path("/models/big"), "draft": Path("small")}

    @pytest.mark.parametrize(
        ("variables", "cache"),
        [
            ({"HF_HUB_CACHE": "{}/c", "HF_HOME": "{}/h"}, "c"),
            ({"HF_HOME": "{}/h"}, "h/hub"),
            ({"XDG_CACHE_HOME": "{}/x"}, "x/huggingface/hub"),
            ({"HOME": "{}"}, ".cache/huggingface/hub"),
        ],
    )
    def test_a_hub_model_is_looked_up_in_the_cache(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], cache: str
    ) -> None:
        """Where huggingface_hub would have put it, by the same variables."""
        for name in ("HF_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value.format(tmp_path))
        snapshot = tmp_path / cache / "models--org--big" / "snapshots" / REVISION
        snapshot.mkdir(parents=True)

        paths = resolve(
            {role: {"hub": "org/big", "revision": REVISION} for role in ("target", "draft")}, tmp_path
        )

        assert paths == {"target": snapshot, "draft": snapshot}

    def test_a_missing_hub_model_says_how_to_download_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Nothing is downloaded unasked."""
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
        models = {"target": {"hub": "org/big", "revision": REVISION}, "draft": {"path": "small"}}

        command = re.escape(f"download it with `huggingface-cli download org/big --revision {REVISION}`")
        with pytest.raises(ModelError, match=command):
            describe(models)


class TestCheckDownloaded:
    """Tests of `check_downloaded`."""

    def test_what_is_there(self, tmp_path: Path) -> None:
        """A folder is enough here; what is in it is looked at later."""
        check_downloaded({"path": str(tmp_path)})

    def test_what_is_not(self, tmp_path: Path) -> None:
        """The line names the folder."""
        with pytest.raises(ModelError, match=f"^{tmp_path}/no: no such folder, expected a model; download"):
            check_downloaded({"path": f"{tmp_path}/no"})
