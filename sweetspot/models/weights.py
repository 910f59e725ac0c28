"""The weights of a constructed pair. Every matrix is as large and as dense as a trained model's. Needs torch.

The target. Layers add next to nothing to a token's embedding, and the row of `lm_head` for the token that
follows is that embedding: so it says the next token of the orbit, by far.

The draft. Its one layer attends to its own position alone, whatever the position, and replaces the hidden
state that it was handed by the embedding of the current token. Its `lm_head` knows what follows a token that
is marked right; the wrong ones have what follows them exchanged among themselves. A draft's second choice is
never the right one, so a tree (eagle_topk above 1) accepts no more than a chain.
"""

import torch
from torch import Tensor

from sweetspot.models.orbit import SPECIAL_TOKENS
from sweetspot.models.safetensors_file import Weight
from sweetspot.models.spec import Spec

LOGIT = 16.0  # of the token that is said; of the others about 0, spread by 16 / sqrt(hidden)
LAYER_STRENGTH = 0.005  # what attention and MLP add, in parts of an embedding
SELF_ATTENTION = 128.0  # the draft's score of a position with itself, before the softmax; no other comes near


class Weights:
    """What both models share, and each one's list of tensors.

    Random numbers come from the GPU where there is one, so bytes differ between machines; what is said does
    not. A list is to be written in its order, the target's first: the random numbers are drawn one after
    another.
    """

    def __init__(self, spec: Spec) -> None:
        self._shape = spec.shape
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._generator = torch.Generator(self._device).manual_seed(spec.seed)
        orbit = spec.orbit()
        self._tokens = torch.tensor(orbit.tokens, device=self._device)
        self._right = torch.tensor(orbit.right, device=self._device)
        embedding = self._random(spec.shape.vocab, spec.shape.hidden, spread=1.0).float()
        embedding[:SPECIAL_TOKENS] = embedding[self._tokens[-1]]  # what they lead to begins the orbit
        by_head = embedding.view(spec.shape.vocab, spec.shape.heads, -1)
        by_head /= by_head.square().mean(-1, keepdim=True).sqrt()  # every head sees every token as clearly
        self._embedding = embedding.bfloat16()

    def target(self) -> list[Weight]:
        """Return the target's tensors, under the names of a Llama."""
        shape = self._shape
        following = self._tokens.roll(-1)
        weights = [
            Weight("model.embed_tokens.weight", (shape.vocab, shape.hidden), lambda: self._embedding),
            Weight("model.norm.weight", (shape.hidden,), self._ones),
            Weight("lm_head.weight", (shape.vocab, shape.hidden), lambda: self._head(following)),
        ]
        kv_width = shape.hidden // shape.heads * shape.kv_heads
        for layer in range(shape.layers):
            prefix = f"model.layers.{layer}"
            weights += [
                self._dense(f"{prefix}.self_attn.q_proj.weight", shape.hidden, shape.hidden),
                self._dense(f"{prefix}.self_attn.k_proj.weight", kv_width, shape.hidden),
                self._dense(f"{prefix}.self_attn.v_proj.weight", kv_width, shape.hidden),
                self._dense(f"{prefix}.self_attn.o_proj.weight", shape.hidden, shape.hidden, LAYER_STRENGTH),
                *self._mlp(prefix),
                Weight(f"{prefix}.input_layernorm.weight", (shape.hidden,), self._ones),
                Weight(f"{prefix}.post_attention_layernorm.weight", (shape.hidden,), self._ones),
            ]
        return weights

    def draft(self) -> list[Weight]:
        """Return the draft's tensors, under the names of EAGLE-3 on a Llama. It borrows the embedding."""
        shape = self._shape
        wide = (shape.hidden, 2 * shape.hidden)  # reads the token's embedding beside the hidden state
        following = self._tokens.roll(-1)
        following[~self._right] = following[~self._right].roll(1)
        to_itself = (SELF_ATTENTION / (shape.hidden / shape.heads) ** 0.5) ** 0.5
        norms = ("hidden_norm", "input_layernorm", "post_attention_layernorm")
        return [
            Weight("fc.weight", (shape.hidden, 3 * shape.hidden), lambda: self._scaled(1 / 3, 1 / 3, 1 / 3)),
            Weight("midlayer.self_attn.q_proj.weight", wide, lambda: self._scaled(to_itself, 0)),
            Weight("midlayer.self_attn.k_proj.weight", wide, lambda: self._scaled(to_itself, 0)),
            Weight("midlayer.self_attn.v_proj.weight", wide, lambda: self._scaled(1, -1)),
            Weight("midlayer.self_attn.o_proj.weight", (shape.hidden, shape.hidden), lambda: self._scaled(1)),
            *self._mlp("midlayer"),
            *(Weight(f"midlayer.{norm}.weight", (shape.hidden,), self._ones) for norm in norms),
            Weight("norm.weight", (shape.hidden,), self._ones),
            Weight("lm_head.weight", (shape.vocab, shape.hidden), lambda: self._head(following)),
            # the draft's token i is the target's token i + d2t[i]
            Weight("d2t", (shape.vocab,), lambda: torch.zeros(shape.vocab, dtype=torch.int64), torch.int64),
            Weight("t2d", (shape.vocab,), lambda: torch.ones(shape.vocab, dtype=torch.bool), torch.bool),
        ]

    def _mlp(self, prefix: str) -> list[Weight]:
        hidden, intermediate = self._shape.hidden, self._shape.intermediate
        return [
            self._dense(f"{prefix}.mlp.gate_proj.weight", intermediate, hidden),
            self._dense(f"{prefix}.mlp.up_proj.weight", intermediate, hidden),
            self._dense(f"{prefix}.mlp.down_proj.weight", hidden, intermediate, LAYER_STRENGTH),
        ]

    def _dense(self, name: str, rows: int, columns: int, strength: float = 1.0) -> Weight:
        """Return a random matrix that gives numbers of about *strength* for inputs of about 1."""
        return Weight(name, (rows, columns), lambda: self._random(rows, columns, strength / columns**0.5))

    def _random(self, rows: int, columns: int, spread: float) -> Tensor:
        numbers = torch.randn(rows, columns, generator=self._generator, device=self._device)
        return (numbers * spread).bfloat16()

    def _head(self, following: Tensor) -> Tensor:
        """Return the matrix that says `following[i]` after the i-th token of the orbit; no special token."""
        head = torch.zeros_like(self._embedding)
        head[following] = self._embedding[self._tokens] * (LOGIT / self._shape.hidden)
        return head

    def _scaled(self, *factors: float) -> Tensor:
        """Return a multiple of the identity for each part of the input, side by side."""
        identity = torch.eye(self._shape.hidden, device=self._device)
        return torch.cat([identity * factor for factor in factors], dim=1).bfloat16()

    def _ones(self) -> Tensor:
        return torch.ones(self._shape.hidden, dtype=torch.bfloat16)
