"""Tests of `sweetspot/models/identity.py`."""

import hashlib
import json
import re
from pathlib import Path

import pytest

from sweetspot.errors import ModelError
from sweetspot.models.identity import identity, resolve
from sweetspot.models.prepare import describe

REVISION = "0123456789abcdef0123456789abcdef01234567"


def _safetensors(data: bytes, name: str = "w") -> bytes:
    header = {"__metadata__": {"format": "pt"}, name: {"dtype": "U8", "data_offsets": [0, len(data)]}}
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def _model(folder: Path) -> Path:
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "llama"}')
    (folder / "tokenizer.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(_safetensors(b"12345678"))
    return folder


class TestIdentity:
    """Tests of `identity`."""

    def test_holds_digests_of_small_files_and_of_headers(self, tmp_path: Path) -> None:
        """Configs and tokenizers are hashed whole; of the weights the size, the header, and samples."""
        folder = _model(tmp_path / "m")
        (folder / "README.md").write_text("not part of the model")

        found = identity(folder)

        content = (folder / "model.safetensors").read_bytes()
        assert found == {
            "files": {
                "config.json": hashlib.sha256(b'{"model_type": "llama"}').hexdigest(),
                "tokenizer.json": hashlib.sha256(b"{}").hexdigest(),
            },
            "weights": {
                "model.safetensors": {
                    "size_bytes": len(content),
                    "header_sha256": hashlib.sha256(content[8:-8]).hexdigest(),
                    "sample_sha256": hashlib.sha256(content * 32).hexdigest(),
                }
            },
        }

    @pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin"])
    def test_another_training_is_another_model(self, tmp_path: Path, name: str) -> None:
        """Other numbers in tensors of the same names and sizes are another model, also in a large file."""
        folder = _model(tmp_path / "m")
        data = bytes(10_000_000)
        (folder / name).write_bytes(_safetensors(data))
        before = identity(folder)
        (folder / name).write_bytes(_safetensors(b"\x01" * len(data)))

        assert identity(folder) != before

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("config.json", b'{"model_type": "qwen3"}'),
            ("tokenizer_config.json", b"{}"),
            ("chat_template.jinja", b"{{ messages }}"),
            ("tiktoken.model", b"x"),
            ("modeling_own.py", b"pass"),
            ("model.safetensors", _safetensors(b"12345678", "v")),
            ("model.safetensors", _safetensors(b"123456789")),
        ],
    )
    def test_changes_with_what_matters(self, tmp_path: Path, name: str, content: bytes) -> None:
        """Another config, tokenizer, template, code, tensor name or size is another model."""
        folder = _model(tmp_path / "m")
        before = identity(folder)
        (folder / name).write_bytes(content)

        assert identity(folder) != before

    def test_weights_that_are_not_safetensors_have_no_header(self, tmp_path: Path) -> None:
        """Drafts are often published as one .bin file."""
        folder = _model(tmp_path / "m")
        (folder / "model.safetensors").unlink()
        (folder / "pytorch_model.bin").write_bytes(b"123")

        sample = hashlib.sha256(b"123" * 32).hexdigest()
        assert identity(folder)["weights"] == {
            "pytorch_model.bin": {"size_bytes": 3, "header_sha256": None, "sample_sha256": sample}
        }

    def test_a_missing_folder_config_or_weights_is_an_error(self, tmp_path: Path) -> None:
        """Each says the folder and what was expected in it."""
        folder = _model(tmp_path / "m")

        with pytest.raises(ModelError, match="none: no such folder, expected a model"):
            identity(tmp_path / "none")
        (folder / "model.safetensors").unlink()
        with pytest.raises(ModelError, match="m: no weights, expected"):
            identity(folder)
        (folder / "config.json").unlink()
        with pytest.raises(ModelError, match=r"m: no config\.json, expected a model"):
            identity(folder)

    def test_a_shard_that_the_index_names_has_to_be_there(self, tmp_path: Path) -> None:
        """An interrupted download is found before the server is."""
        folder = _model(tmp_path / "m")
        index = {"weight_map": {"a": "model.safetensors", "b": "model-2.safetensors"}}
        (folder / "model.safetensors.index.json").write_text(json.dumps(index))

        with pytest.raises(
            ModelError, match=r"model-2\.safetensors: missing, expected because the index names it"
        ):
            identity(folder)

    def test_a_cut_file_is_an_error(self, tmp_path: Path) -> None:
        """The header says how long the file has to be."""
        folder = _model(tmp_path / "m")
        content = (folder / "model.safetensors").read_bytes()
        (folder / "model.safetensors").write_bytes(content[:-1])

        with pytest.raises(
            ModelError, match=f"{len(content) - 1} bytes, expected {len(content)} by its header"
        ):
            identity(folder)

    @pytest.mark.parametrize("content", [b"", b"garbage that is no header", _safetensors(b"1")[:20]])
    def test_a_file_without_a_header_is_an_error(self, tmp_path: Path, content: bytes) -> None:
        """A page of an error message saved under the name of weights is no model."""
        folder = _model(tmp_path / "m")
        (folder / "model.safetensors").write_bytes(content)

        with pytest.raises(ModelError, match="no safetensors header, expected one; download it again"):
            identity(folder)

    def test_an_index_without_a_map_is_an_error(self, tmp_path: Path) -> None:
        """It cannot say which files are weights."""
        folder = _model(tmp_path / "m")
        (folder / "model.safetensors.index.json").write_text("{}")

        with pytest.raises(ModelError, match=r"index\.json: no weight_map, expected a weights index"):
            identity(folder)


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
