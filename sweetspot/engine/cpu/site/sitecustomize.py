"""Runs at the start of every interpreter that has this folder on PYTHONPATH: each process of the server."""

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path

import stand_ins

stand_ins.install()

# Python loads the first sitecustomize it meets and hides all others: load the next.
_places = [Path(entry).resolve() for entry in sys.path]
_next = PathFinder.find_spec("sitecustomize", sys.path[_places.index(Path(__file__).resolve().parent) + 1 :])
if _next is not None and _next.loader is not None:
    _next.loader.exec_module(module_from_spec(_next))
