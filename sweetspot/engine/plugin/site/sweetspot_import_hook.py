"""A way into an SGLang that has no plugins: once its scheduler is imported, the timer registers itself.

SGLang 0.5.10 and older look for no entry points.
"""

import importlib.util
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

SCHEDULER = "sglang.srt.managers.scheduler"


def install() -> None:
    """Watch for the scheduler's import, if the timer is asked for and SGLang would not call it by itself."""
    if "SWEETSPOT_CYCLES" not in os.environ:
        return
    sglang = importlib.util.find_spec("sglang")
    places = (sglang and sglang.submodule_search_locations) or []
    if places and not any(Path(place, "srt", "plugins").is_dir() for place in places):
        sys.meta_path.insert(0, _Watch())


class _Watch(MetaPathFinder):
    """Finds one module, by whoever else finds it, and registers the timer when it is imported."""

    def find_spec(self, name: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != SCHEDULER:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        import_scheduler = spec.loader.exec_module

        def then_register(module: ModuleType) -> None:
            import_scheduler(module)
            import sweetspot_timer

            sweetspot_timer.register()

        spec.loader.exec_module = then_register  # type: ignore[method-assign]
        return spec
