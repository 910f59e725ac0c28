"""Runs at the start of every interpreter that has this folder on PYTHONPATH: each process of the server."""

import sys
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from pathlib import Path

import stand_ins

stand_ins.install()

# Python loads the first sitecustomize it meets and hides any other, coverage's for one: load that too.
_here = Path(__file__).resolve().parent
_next = PathFinder.find_spec("sitecustomize", [entry for entry in sys.path if Path(entry).resolve() != _here])
if _next is not None and _next.loader is not None:
    _next.loader.exec_module(module_from_spec(_next))
