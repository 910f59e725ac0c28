"""Tests of `sweetspot.plan.messages`: how many all-reduces a pass does, and how large they are."""

import pytest

from sweetspot.errors import ModelError
from sweetspot.plan.messages import Message, Shape, graph_sizes, messages, shape

LLAMA = {"hidden_size": 4096, "num_hidden_layers": 32, "torch_dtype": "bfloat16"}


class TestShape:
    """Tests of `shape` and `Shape`."""

    def test_of_a_model_whose_log_was_counted(self) -> None:
        """An 8B shape did 65 all-reduces a pass, of 8 KiB a token, by NCCL's own log."""
        found = shape(LLAMA, None)

        assert (found.all_reduces, found.bytes(1), found.bytes(4)) == (65, 8192, 32768)

    def test_of_a_model_of_several_modes(self) -> None:
        """Such a model keeps the text part's numbers in a part of their own."""
        found = shape(
            {"text_config": {"hidden_size": 7168, "num_hidden_layers": 61}, "dtype": "bfloat16"}, "auto"
        )

        assert (found.bytes(1), found.all_reduces) == (14336, 123)

    def test_the_servers_dtype_beats_the_models(self) -> None:
        """float32 messages are twice as large."""
        assert shape(LLAMA, "float32").bytes(1) == 16384

    def test_of_no_numbers(self) -> None:
        """Without a hidden size nothing follows."""
        with pytest.raises(
            ModelError, match=r"^config.json: no 'hidden_size', expected the target's shape; name"
        ):
            shape({}, None)

    def test_of_an_unknown_dtype(self) -> None:
        """A message in a type of unknown width has no size."""
        with pytest.raises(
            ModelError, match=r"^dtype: 'fp8', expected one of bfloat16, .*; set it in the engine"
        ):
            shape(LLAMA, "fp8")


class TestMessages:
    """Tests of `messages`."""

    def test_each_draft_length_at_each_load(self) -> None:
        """A batch is filled up to the next graph's size, and stays as it is above the largest."""
        found = messages(Shape(8, 1, "bfloat16"), [4, 1, 4], [1, 3, 9], [1, 2, 4, 8])

        assert found == [
            Message(1, 1, 1, 16),
            Message(1, 3, 4, 64),
            Message(1, 9, 9, 144),
            Message(4, 1, 4, 64),
            Message(4, 3, 16, 256),
            Message(4, 9, 36, 576),
        ]


class TestGraphSizes:
    """Tests of `graph_sizes`."""

    @pytest.mark.parametrize(
        ("resolved", "sizes"),
        [
            ({"cuda_graph_config": {"decode": {"backend": "full", "bs": [1, 2]}}}, [1, 2]),
            ({"cuda_graph_config": {"decode": {"backend": "disabled", "bs": [1, 2]}}}, []),
            ({"cuda_graph_bs": [1, 8], "disable_cuda_graph": False}, [1, 8]),
            ({"cuda_graph_bs": [1, 8], "disable_cuda_graph": True}, []),
            ({}, []),
        ],
    )
    def test_in_the_words_of_each_version(self, resolved: dict[str, object], sizes: list[int]) -> None:
        """0.5.16 says it in a table, 0.5.10 in a list."""
        assert graph_sizes(resolved) == sizes
