"""What a constructed pair is made from: the `constructed` section of a study, checked."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sweetspot.errors import ModelError
from sweetspot.models.orbit import Orbit, lay_out

CONSTRUCTION = 1  # raised by hand when the weights that a spec gives change


@dataclass(frozen=True)
class Shape:
    """Sizes of a target. Its draft has one layer, and as many key-value heads as heads."""

    hidden: int
    layers: int
    heads: int
    kv_heads: int
    intermediate: int
    vocab: int


SHAPES = {
    "tiny": Shape(hidden=64, layers=8, heads=4, kv_heads=2, intermediate=128, vocab=1024),
    "1b": Shape(hidden=2048, layers=16, heads=16, kv_heads=8, intermediate=8192, vocab=32000),
    "8b": Shape(hidden=4096, layers=32, heads=32, kv_heads=8, intermediate=14336, vocab=32000),
}


@dataclass(frozen=True)
class Spec:
    """A pair: how large it is, how well its draft guesses, and which of many alike."""

    shape_name: str
    acceptance: tuple[float, ...]  # conditional, by draft position; the last goes on
    seed: int
    layers: tuple[int, ...] = ()  # whose inputs its draft needs, none if it takes any layer's

    @property
    def name(self) -> str:
        """Folder of the pair: every part of the spec, and the construction."""
        acceptance = "-".join(str(share) for share in self.acceptance)
        layers = "-layers" + "-".join(map(str, self.layers)) if self.layers else ""
        return f"{self.shape_name}-{acceptance}{layers}-seed{self.seed}-construction{CONSTRUCTION}"

    @property
    def shape(self) -> Shape:
        """Sizes of the target."""
        shape = SHAPES[self.shape_name]
        # a layer that turns its input passes all of it through its values
        return replace(shape, kv_heads=shape.heads) if self.layers else shape

    def orbit(self) -> Orbit:
        """Return what the target says and what the draft knows of it."""
        return lay_out(self.shape.vocab, self.acceptance, self.seed)


def spec(constructed: Mapping[str, Any]) -> Spec:
    """Return the spec in a study's `models.constructed`.

    Raises:
        ModelError: If the shape is unknown, or an acceptance is no share.
    """
    shape_name, acceptance = constructed["shape"], constructed["acceptance"]
    if shape_name not in SHAPES:
        raise ModelError(
            f"models.constructed.shape: {shape_name!r}, expected one of {', '.join(SHAPES)}; take one"
        )
    if not acceptance or not all(0 <= share <= 1 for share in acceptance):
        raise ModelError(
            f"models.constructed.acceptance: {acceptance}, expected shares from 0 to 1, by draft position; "
            f"correct them"
        )
    pair = Spec(
        shape_name,
        tuple(float(share) for share in acceptance),
        constructed["seed"],
        tuple(constructed.get("layers", ())),
    )
    if pair.layers:
        turns(pair.layers, pair.shape.layers)
    return pair


def turns(layers: tuple[int, ...], depth: int) -> list[int]:
    """Return by how many quarters the input of each layer is turned, and at the end the last one's output.

    A shift by one layer turns the first state and the last forwards and the one between backwards, which
    leaves a part of the draft's acceptance; the embedding is half a turn away from the first.

    Args:
        layers: The three whose inputs the draft needs.
        depth: Layers of the target.

    Raises:
        ModelError: If there are no such turns.
    """
    wanted = {0: 0, depth: 0}
    if len(layers) == 3 and layers[0] >= 2 and layers[0] + 1 < layers[1] < layers[2] < depth:
        first, second, third = layers
        wanted |= {first - 1: 3, first: 2, second - 1: 0, second: 1, third - 1: 1, third: 0}
        return [wanted.get(layer, 0) for layer in range(depth + 1)]
    raise ModelError(
        f"layers: {list(layers)}, expected three, rising, below {depth}, the first 2 or more and not "
        f"followed by its neighbour; take others"
    )
