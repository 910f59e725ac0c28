"""Reads YAML that means what it looks like: no key twice, no number that YAML 1.1 turns into another, no NUL.

Needs PyYAML, as `sweetspot.plan.study` does.
"""

import re
from collections.abc import Hashable
from typing import Any

import yaml

from sweetspot.errors import StudyError

_NUMBERS = {  # what reads as the same number to YAML 1.1, to YAML 1.2, and to people
    "tag:yaml.org,2002:int": re.compile(r"[-+]?(0|[1-9][0-9]{0,18}|0x[0-9a-fA-F]{1,15})"),
    "tag:yaml.org,2002:float": re.compile(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?|[-+]?\.(inf|nan)", re.IGNORECASE),
}
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")


def read(text: str, where: str) -> object:
    """Return what the YAML document *text* holds.

    Args:
        text: The content of a file.
        where: The file, for the error.

    Raises:
        StudyError: If it is not YAML, or not the same to every reader of YAML.
    """
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = f"{where}, line {mark.line + 1}, column {mark.column + 1}" if mark else where
        raise StudyError(f"{place}: {error.problem}, expected YAML; correct it there") from error
    except yaml.YAMLError as error:
        raise StudyError(
            f"{where}: {' '.join(str(error).split())}, expected YAML; save it as UTF-8"
        ) from error
    except RecursionError as error:
        raise StudyError(f"{where}: nested without end, expected a study; make it flatter") from error


class _Fault(yaml.MarkedYAMLError):
    def __init__(self, problem: str, node: yaml.Node) -> None:
        super().__init__(problem=problem, problem_mark=node.start_mark)


class _Loader(yaml.SafeLoader):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys: set[str] = set()
        for key, _ in node.value:
            if key.tag not in ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"):
                raise _Fault(f"a key that is a {key.tag.rpartition(':')[2]} to YAML unless quoted", key)
            if key.value in keys:
                raise _Fault(f"the key {key.value} a second time", key)
            keys.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:  # noqa: ANN401
        if isinstance(node, yaml.ScalarNode):
            plain = _NUMBERS.get(node.tag)
            if plain and not plain.fullmatch(node.value):
                raise _Fault(
                    f"the number {node.value[:40]}, which not everyone reads alike unless quoted", node
                )
            if _UNWRITABLE.search(node.value):
                raise _Fault(
                    "text with a NUL or half a surrogate pair in it, which nothing can be given", node
                )
        try:
            return super().construct_object(node, deep)
        except (ValueError, KeyError) as error:
            raise _Fault(f"{error}", node) from error
