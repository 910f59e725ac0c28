"""Asks the installed SGLang's own methods which layers they would capture. Under the engine's Python.

python capture_by_sglang.py LAYERS IDS    prints {architecture: [the layers for each list of ids]}
"""

import json
import logging
import sys
from types import SimpleNamespace
from typing import Any

from sglang.srt import runtime_context
from sglang.srt.models.deepseek_v2 import DeepseekV3ForCausalLM
from sglang.srt.models.gemma3_causal import Gemma3ForCausalLM
from sglang.srt.models.llama4 import Llama4ForCausalLM
from sglang.srt.models.registry import ModelRegistry

LAST_RANK = SimpleNamespace(is_last_rank=True)
INSIDE = {  # targets that hand the call on to the language model in them
    "KimiK25ForConditionalGeneration": DeepseekV3ForCausalLM,
    "Gemma3ForConditionalGeneration": Gemma3ForCausalLM,
    "Llama4ForConditionalGeneration": Llama4ForCausalLM,
}


class Inner:
    """The part of a model that passes its layers."""

    def __init__(self, layers: int) -> None:
        self.layers = [SimpleNamespace() for _ in range(layers + 2)]  # two more: some ids are out of range
        self.layers_to_capture: list[int] = []
        self.embed_tokens = None

    def set_eagle3_layers_to_capture(self, layers: list[int]) -> None:
        """Take what the outer model computed."""
        self.layers_to_capture = layers


def model_of(kind: Any, layers: int) -> SimpleNamespace:  # noqa: ANN401
    """Return a model of SGLang's class *kind* that has nothing but what the method reads."""
    config = SimpleNamespace(num_hidden_layers=layers)
    config.text_config = config
    inner = Inner(layers)
    model = SimpleNamespace(pp_group=LAST_RANK, config=config, model=inner, language_model=inner)
    model.set_eagle3_layers_to_capture = lambda ids: kind.set_eagle3_layers_to_capture(model, ids)
    return model


def ask(architecture: str, kind: Any, layers: int, ids: list[int] | None) -> list[int]:  # noqa: ANN401
    """Return the layers that SGLang's method sets, in the order in which the target passes them."""
    model = model_of(kind, layers)
    asked = model
    if architecture in INSIDE:
        asked = model_of(kind, layers)
        asked.language_model = model = model_of(INSIDE[architecture], layers)
    asked.set_eagle3_layers_to_capture(ids)
    return sorted(set(model.model.layers_to_capture or []))


def main() -> None:
    """Print what every target of the installed SGLang captures."""
    logging.disable(logging.CRITICAL)
    layers, lists = json.loads(sys.argv[1]), json.loads(sys.argv[2])
    runtime_context.get_parallel = lambda: SimpleNamespace(pp_group=LAST_RANK)
    found = {}
    for architecture, kind in ModelRegistry.models.items():
        if hasattr(kind, "set_eagle3_layers_to_capture"):
            module = sys.modules[kind.set_eagle3_layers_to_capture.__module__]
            if hasattr(module, "get_parallel"):
                module.get_parallel = runtime_context.get_parallel
            found[architecture] = [ask(architecture, kind, layers, ids) for ids in lists]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
