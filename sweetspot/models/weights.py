"""The weights of a constructed pair. Needs torch.

They follow an orbit, and cost a server what trained ones of the same shape do: it multiplies every number of
every matrix, zeros too.

The target. A token's embedding comes out of the layers almost as it went in, and `lm_head` finds the next
token of the orbit by it, far ahead of any other.

The draft. Whatever hidden state it is handed, its one layer takes that out again and puts the embedding of
the current token in its place, by attending to no position but its own. Its `lm_head` then finds the target's
token where the orbit is marked right. Where it is not, it finds the one that belongs to the last such place.
Its second choice is never the target's token, so a tree (eagle_topk above 1) accepts no more than a chain.
"""

import torch
from torch import Tensor

from sweetspot.models.orbit import SPECIAL_TOKENS
from sweetspot.models.safetensors_file import Weight
from sweetspot.models.spec import Spec

LOGIT = 16.0  # of the token that is said; the rest scatter around 0, less the wider the model is
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
        size = (self._shape.vocab, self._shape.hidden)
        layers = (f"model.layers.{layer}" for layer in range(self._shape.layers))
        return [
            Weight("model.embed_tokens.weight", size, lambda: self._embedding),
            self._norm("model.norm"),
            Weight("lm_head.weight", size, lambda: self._head(self._target_says())),
            *(weight for layer in layers for weight in self._target_layer(layer)),
        ]

    def draft(self) -> list[Weight]:
        """Return the draft's tensors, under the names of EAGLE-3 on a Llama. It borrows the embedding."""
        vocab, hidden = self._shape.vocab, self._shape.hidden
        return [
            self._mixer(),
            self._blocks("midlayer.self_attn.q_proj", self._to_itself(), 0),  # of (embedding, hidden state)
            self._blocks("midlayer.self_attn.k_proj", self._to_itself(), 0),
            self._blocks("midlayer.self_attn.v_proj", 1, -1),
            self._blocks("midlayer.self_attn.o_proj", 1),
            *self._mlp("midlayer"),
            self._norm("midlayer.hidden_norm"),
            self._norm("midlayer.input_layernorm"),
            self._norm("midlayer.post_attention_layernorm"),
            self._norm("norm"),
            Weight("lm_head.weight", (vocab, hidden), lambda: self._head(self._draft_says())),
            # its vocabulary is the target's: no id is shifted, none is missing
            Weight("d2t", (vocab,), lambda: torch.zeros(vocab, dtype=torch.int64), torch.int64),
            Weight("t2d", (vocab,), lambda: torch.ones(vocab, dtype=torch.bool), torch.bool),
        ]

    def _mixer(self) -> Weight:
        """Return what the draft makes of the target's three hidden states: their mean."""
        return self._blocks("fc", 1 / 3, 1 / 3, 1 / 3)

    def _to_itself(self) -> float:
        """Return the factor of queries and keys that makes a position see itself alone."""
        # the score is this squared, times the width of a head, over the root of that width
        return float((SELF_ATTENTION / (self._shape.hidden / self._shape.heads) ** 0.5) ** 0.5)

    def _target_says(self) -> Tensor:
        """Return what the target says after each token of the orbit. Shape (tokens of the orbit,)."""
        return self._tokens.roll(-1)

    def _draft_says(self) -> Tensor:
        """Return what the draft says: at each wrong place what belongs to the wrong place before it."""
        says = self._target_says()
        wrong = (~self._right).nonzero().flatten()
        return says.index_copy(0, wrong.roll(-1), says[wrong])

    def _target_layer(self, layer: str) -> list[Weight]:
        hidden, kv_heads = self._shape.hidden, self._shape.kv_heads
        outputs = {"q": hidden, "k": hidden // self._shape.heads * kv_heads}
        outputs["v"] = outputs["k"]
        return [
            *(self._dense(f"{layer}.self_attn.{x}_proj", rows, hidden) for x, rows in outputs.items()),
            self._dense(f"{layer}.self_attn.o_proj", hidden, hidden, LAYER_STRENGTH),
            *self._mlp(layer),
            self._norm(f"{layer}.input_layernorm"),
            self._norm(f"{layer}.post_attention_layernorm"),
        ]

    def _mlp(self, layer: str) -> list[Weight]:
        hidden, intermediate = self._shape.hidden, self._shape.intermediate
        return [
            self._dense(f"{layer}.mlp.gate_proj", intermediate, hidden),
            self._dense(f"{layer}.mlp.up_proj", intermediate, hidden),
            self._dense(f"{layer}.mlp.down_proj", hidden, intermediate, LAYER_STRENGTH),
        ]

    def _norm(self, module: str) -> Weight:
        """Return a norm that only norms."""
        hidden = self._shape.hidden
        return Weight(f"{module}.weight", (hidden,), lambda: torch.ones(hidden, dtype=torch.bfloat16))

    def _dense(self, module: str, rows: int, columns: int, strength: float = 1.0) -> Weight:
        """Return a random matrix that gives numbers of about *strength* for inputs of about 1."""
        spread = strength / columns**0.5
        return Weight(f"{module}.weight", (rows, columns), lambda: self._random(rows, columns, spread))

    def _blocks(self, module: str, *factors: float) -> Weight:
        """Return a matrix that weighs the parts of its input by *factors* and adds them up."""
        hidden = self._shape.hidden
        size = (hidden, hidden * len(factors))

        def make() -> Tensor:
            weighed = torch.tensor([factors], device=self._device)
            return torch.kron(weighed, torch.eye(hidden, device=self._device)).bfloat16()

        return Weight(f"{module}.weight", size, make)

    def _random(self, rows: int, columns: int, spread: float) -> Tensor:
        numbers = torch.randn(rows, columns, generator=self._generator, device=self._device)
        return (numbers * spread).bfloat16()

    def _head(self, says: Tensor) -> Tensor:
        """Return the matrix that says `says[i]` after the i-th token of the orbit; no special token."""
        rows = self._embedding[self._tokens] * (LOGIT / self._shape.hidden)
        return torch.zeros_like(self._embedding).index_copy_(0, says, rows)
