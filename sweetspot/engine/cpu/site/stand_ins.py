"""Lets SGLang start without triton, torchvision and datasets.

Its modules import them for kernels, images and benchmarks, none of which a text model on a CPU comes to. Of a
package that is not installed there is what SGLang uses all the same (`OFFERS`); anything else has a name and
raises when it is called. An installed package is used as it is.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, spec_from_loader
from types import ModuleType, SimpleNamespace
from typing import Any, Never

Function = Callable[..., Any]


def install() -> None:
    """Stand in for each package of `OFFERS` that cannot be imported."""
    for package, offers in OFFERS.items():
        if find_spec(package) is None:
            sys.meta_path.append(_StandIn(package, offers))


class _StandIn(MetaPathFinder, Loader):
    """Finds one package and whatever is asked for below it."""

    def __init__(self, package: str, offers: Mapping[str, Mapping[str, object]]) -> None:
        self._package = package
        self._offers = offers

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        below = f"{fullname}.".startswith(f"{self._package}.")
        return spec_from_loader(fullname, self, is_package=True) if below else None

    def exec_module(self, module: ModuleType) -> None:
        """Fill *module* with what it offers, and name the rest when it is asked for."""
        vars(module).update(self._offers.get(module.__name__, {}))
        vars(module)["__getattr__"] = partial(getattr, _Unused(module.__name__))


class _Unused:
    """Something that SGLang mentions, and all that it mentions of it."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __repr__(self) -> str:
        return self._path

    def __getattr__(self, name: str) -> object:
        """Return a class for a capitalised name, the same each time; something unused for any other."""
        if name.startswith("__"):
            raise AttributeError(f"{self._path}: no {name}")
        mentioned = _UnusedClass(name, (), {}) if name[0].isupper() else _Unused(f"{self._path}.{name}")
        vars(self)[name] = mentioned
        return mentioned

    def __call__(self, *args: object, **kwargs: object) -> Never:
        raise NotImplementedError(
            f"{self._path}: called, expected an import of the name alone; install the package"
        )


class _UnusedClass(type):
    """A class to derive from, to make objects of with any arguments, and to name members of."""

    def __call__(cls, *args: object, **kwargs: object) -> object:
        return cls.__new__(cls)

    def __getattr__(cls, member: str) -> _Unused:
        if member.startswith("_"):
            raise AttributeError(f"{cls.__name__}: no {member}")
        setattr(cls, member, _Unused(f"{cls.__name__}.{member}"))
        return vars(cls)[member]


def _unchanged(kernel: Function) -> Function:
    return kernel


def _jit(kernel: Function | None = None, **options: object) -> Function:
    """Return *kernel*, or a decorator that does where only options are given."""
    return _unchanged if kernel is None else kernel


def _tuned(*args: object, **options: object) -> Function:
    return _unchanged


def _cdiv(dividend: int, divisor: int) -> int:
    return (dividend + divisor - 1) // divisor


def _next_power_of_2(number: int) -> int:
    power = 1
    while power < number:
        power *= 2
    return power


@dataclass(frozen=True)
class _Constexpr:
    value: object = None


# SGLang asks to be told when triton loads a kernel, which it never does here.
_HOOKS = SimpleNamespace(kernel_load_start_hook=set(), kernel_load_end_hook=set())

# By package and module. A decorator of triton's leaves the kernel a plain function, which no one launches.
OFFERS: dict[str, dict[str, dict[str, object]]] = {
    "triton": {
        "triton": {
            "__version__": "0.0.0",
            "autotune": _tuned,
            "cdiv": _cdiv,
            "heuristics": _tuned,
            "jit": _jit,
            "knobs": SimpleNamespace(runtime=_HOOKS),
            "next_power_of_2": _next_power_of_2,
        },
        "triton.knobs": {"runtime": _HOOKS},
        "triton.language": {"constexpr": _Constexpr},
        "triton.runtime.jit": {"constexpr_function": _unchanged},
    },
    "torchvision": {"torchvision": {"__version__": "0.0.0"}},
    "datasets": {"datasets": {"__version__": "0.0.0"}},
}
