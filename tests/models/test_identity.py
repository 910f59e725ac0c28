"""Tests of `sweetspot/models/identity.py`."""

import hashlib
import json
from pathlib import Path

import pytest

from sweetspot.errors import ModelError
from sweetspot.models.identity import identity


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
