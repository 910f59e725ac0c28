"""Runs a constructed pair by hand and compares it with its orbit. Under the engine's Python.

python check_pair.py PAIR SPEC
"""

import json
import math
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor
from torch.nn.functional import silu
from transformers import LlamaForCausalLM

from sweetspot.models.spec import spec

CHUNK = 160  # tokens of context, more than a run of rights
CLEAR_NATS = 5.0  # by which the token that is said leads: no rounding turns it
DRAFTED = 5


class Draft:
    """EAGLE-3's one layer, one sequence at a time, written out from its definition."""

    def __init__(self, folder: Path, embedding: Tensor) -> None:
        self._config = json.loads((folder / "config.json").read_text())
        self._weights = {name: w.float() for name, w in load_file(folder / "model.safetensors").items()}
        self._embedding = embedding
        self._keys = self._values = torch.empty(
            0, self._config["num_attention_heads"], self._config["head_dim"]
        )

    def project(self, target_hidden: list[Tensor]) -> Tensor:
        """Return the hidden states that it begins with, from those of three of the target's layers."""
        return torch.cat(target_hidden, -1) @ self._weights["fc.weight"].T

    def forward(self, tokens: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """Return the hidden states and the logits after *tokens*, which follow those of the last call."""
        heads, width = self._config["num_attention_heads"], self._config["head_dim"]
        start = len(self._keys)
        wide = torch.cat([self._norm(self._embedding[tokens]), self._norm(hidden)], -1)
        query, key, value = (self._linear(f"self_attn.{x}_proj", wide).view(-1, heads, width) for x in "qkv")
        self._keys = torch.cat([self._keys, self._rotate(key, start)])
        self._values = torch.cat([self._values, value])
        scores = torch.einsum("qhd,khd->hqk", self._rotate(query, start), self._keys) / math.sqrt(width)
        sees = torch.ones(len(tokens), len(self._keys), dtype=torch.bool).tril(start)
        weights = scores.masked_fill(~sees, -math.inf).softmax(-1)
        attended = torch.einsum("hqk,khd->qhd", weights, self._values).flatten(1)
        hidden = hidden + self._linear("self_attn.o_proj", attended)
        x = self._norm(hidden)
        gated = silu(self._linear("mlp.gate_proj", x)) * self._linear("mlp.up_proj", x)
        hidden = hidden + self._linear("mlp.down_proj", gated)
        return hidden, self._norm(hidden) @ self._weights["lm_head.weight"].T

    def _linear(self, name: str, x: Tensor) -> Tensor:
        return x @ self._weights[f"midlayer.{name}.weight"].T

    def _norm(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self._config["rms_norm_eps"])

    def _rotate(self, x: Tensor, start: int) -> Tensor:
        half = x.shape[-1] // 2
        frequencies = self._config["rope_theta"] ** -(torch.arange(half) / half)
        angles = (torch.arange(start, start + len(x))[:, None] * frequencies)[:, None]
        first, second = x[..., :half], x[..., half:]
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


def check(pair: Path, constructed: dict[str, object]) -> None:
    """Assert that the target says its orbit, and that the draft is right exactly where it is marked."""
    orbit = spec(constructed).orbit()
    says = dict(zip(orbit.tokens, (*orbit.tokens[1:], orbit.tokens[0]), strict=True))
    marked = dict(zip(orbit.tokens, orbit.right, strict=True))
    target = LlamaForCausalLM.from_pretrained(pair / "target", dtype=torch.float32)
    embedding = target.model.embed_tokens.weight.data
    layers = target.config.num_hidden_layers
    wrongs = 0
    for start in range(0, len(orbit.tokens), CHUNK):
        chunk = [*orbit.tokens, *orbit.tokens][start : start + CHUNK]
        with torch.no_grad():
            ran = target(torch.tensor([chunk]), output_hidden_states=True)
        _assert_clear(ran.logits[0], [says[token] for token in chunk])

        draft = Draft(pair / "draft", embedding)
        hidden = draft.project([ran.hidden_states[i][0] for i in (2, layers // 2, layers - 3)])
        hidden, logits = draft.forward(torch.tensor(chunk[1:]), hidden[:-1])
        for token, guess in zip(chunk[1:], logits.argmax(-1).tolist(), strict=True):
            assert (guess == says[token]) == marked[token], f"after {token}: {guess}"
            wrongs += guess != says[token]

        token, hidden, logits = chunk[-1], hidden[-1:], logits[-1:]
        for _ in range(DRAFTED):
            guess = int(logits.argmax())
            assert (guess == says[token]) == marked[token], f"drafted on, after {token}: {guess}"
            _assert_clear(logits, [guess])
            token = guess
            hidden, logits = draft.forward(torch.tensor([token]), hidden)
    assert wrongs > 0, "the draft was never wrong, so nothing was checked"

    with torch.no_grad():
        special = target(torch.tensor([[0, 1, 2]])).logits[0]
    _assert_clear(special, [orbit.tokens[0]] * 3)


def _assert_clear(logits: Tensor, expected: list[int]) -> None:
    best = logits.log_softmax(-1).topk(2)
    assert best.indices[:, 0].tolist() == expected
    lead = (best.values[:, 0] - best.values[:, 1]).min()
    assert lead > CLEAR_NATS, f"a lead of {lead:.1f} nats"


if __name__ == "__main__":
    check(Path(sys.argv[1]), json.loads(sys.argv[2]))
