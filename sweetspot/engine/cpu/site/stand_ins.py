"""Lets SGLang import triton, torchvision and datasets where they are not installed.

SGLang imports them at its start whatever it serves, and calls none of them for a text model on a CPU.
Packages that are installed stay as they are.
"""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

PACKAGES = ("triton", "torchvision", "datasets")


def install() -> None:
    """Stand in for those of `PACKAGES` that cannot be imported."""
    absent = frozenset(package for package in PACKAGES if find_spec(package) is None)
    if absent:
        sys.meta_path.append(_Finder(absent))


class _Finder(MetaPathFinder, Loader):
    def __init__(self, absent: frozenset[str]) -> None:
        self._absent = absent

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] not in self._absent:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = _StandIn(spec.name)
        vars(module).update(_VALUES.get(spec.name, {}))
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: a stand-in makes its names when they are asked for."""


class _Name(type):
    """A class with every attribute: its members are strings, as those of an enumeration would print."""

    def __getattr__(cls, name: str) -> str:
        if name.startswith("_"):
            raise AttributeError(name)
        return f"{cls.__name__}.{name}"


class _StandIn(ModuleType):
    """A module with every name: a class for a capitalised one, a submodule for any other.

    Called, it is a decorator, with or without arguments, that changes nothing: `@triton.jit` defines a kernel
    that no one launches.
    """

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name.startswith("__"):
            raise AttributeError(name)
        if name[:1].isupper():
            value: Any = _Name(name, (), {"__module__": self.__name__, "__init__": _accept_anything})
        else:
            value = import_module(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        if len(args) == 1 and callable(args[0]) and not kwargs:
            return args[0]
        return _unchanged


def _accept_anything(self: object, *args: object, **kwargs: object) -> None:
    pass


def _unchanged(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _cdiv(dividend: int, divisor: int) -> int:
    return -(dividend // -divisor)


def _next_power_of_2(number: int) -> int:
    return 1 << (number - 1).bit_length()


class _Constexpr:
    def __init__(self, value: object = None) -> None:
        self.value = value


# What SGLang computes with while it is imported or served on a CPU.
_VALUES: dict[str, dict[str, object]] = {
    "triton": {"__version__": "0.0.0", "cdiv": _cdiv, "next_power_of_2": _next_power_of_2},
    "triton.language": {"constexpr": _Constexpr},
    "torchvision": {"__version__": "0.0.0"},
    "datasets": {"__version__": "0.0.0"},
}
