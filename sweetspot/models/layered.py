"""The weights of a constructed pair whose draft needs the hidden states of given layers. Needs torch.

The target. Each of its layers attends to no position but its own, and adds to the hidden state what turns it
by quarter turns, pair of numbers by pair. So the input of each layer is the embedding in one of four
positions, all of one length, and what the last layer says is the embedding again.

The draft. It turns the three states back, as if they were those that it was made for, and takes the mean of
the others from the first. From the right layers nothing is left, and it drafts as any constructed one. From
others something is left, STRENGTH times as long as an embedding or more, and hides what its head looks for.
"""

import torch
from torch import Tensor

from sweetspot.models.safetensors_file import Weight
from sweetspot.models.spec import Spec, turns
from sweetspot.models.weights import Weights

STRENGTH = 3.0  # a shift by one layer then costs a part of the acceptance, the embedding nearly all of it


class LayeredWeights(Weights):
    """As `Weights`, for a spec that names layers."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        self._captured = spec.layers
        self._turns = turns(spec.layers, spec.shape.layers)

    def _mixer(self) -> Weight:
        """Return what the draft makes of the three states: the first, less the mean of the others."""
        shares = (STRENGTH, -STRENGTH / 2, -STRENGTH / 2)

        def make() -> Tensor:
            back = [self._turn(-self._turns[layer]) for layer in self._captured]
            return torch.cat([share * turn for share, turn in zip(shares, back, strict=True)], 1).bfloat16()

        return Weight("fc.weight", (self._shape.hidden, 3 * self._shape.hidden), make)

    def _target_layer(self, layer: str) -> list[Weight]:
        number = int(layer.rpartition(".")[2])
        hidden, intermediate = self._shape.hidden, self._shape.intermediate
        quarters = self._turns[number + 1] - self._turns[number]

        def added() -> Tensor:
            return (self._turn(quarters) - self._turn(0)).bfloat16()

        return [
            *(self._blocks(f"{layer}.self_attn.{x}_proj", self._to_itself()) for x in "qk"),
            self._blocks(f"{layer}.self_attn.v_proj", 1),
            Weight(f"{layer}.self_attn.o_proj.weight", (hidden, hidden), added),
            self._zeros(f"{layer}.mlp.gate_proj", intermediate, hidden),
            self._zeros(f"{layer}.mlp.up_proj", intermediate, hidden),
            self._zeros(f"{layer}.mlp.down_proj", hidden, intermediate),
            self._norm(f"{layer}.input_layernorm"),
            self._norm(f"{layer}.post_attention_layernorm"),
        ]

    def _turn(self, quarters: int) -> Tensor:
        """Return the matrix that turns each pair of numbers by so many quarters. Shape (hidden, hidden)."""
        quarter = torch.tensor([[0.0, -1.0], [1.0, 0.0]], device=self._device)
        turned = torch.linalg.matrix_power(quarter, quarters % 4)
        return torch.kron(torch.eye(self._shape.hidden // 2, device=self._device), turned)

    def _zeros(self, module: str, rows: int, columns: int) -> Weight:
        size = (rows, columns)
        return Weight(f"{module}.weight", size, lambda: torch.zeros(size, dtype=torch.bfloat16))
