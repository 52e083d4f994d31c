"""Lines of the keys of YAML files, for messages: the file is looked at once more when an error of it is told."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Any

import yaml

from simulator.base import errors
from simulator.base.inputfile import read_utf8
from simulator.base.yaml_loader import MOST_BYTES, StrictLoader

OTHERS = "base"
"""Key of a file whose keys may stand in another file."""


def line_of(file: str, key: str) -> int | None:
    """Line in which a key path such as ``axles.front.spring.rate`` or ``roads[1].points`` stands, from 1 on.

    That of the innermost section of the path when the rest is missing; None when nothing of the path is there, and when there is no such
    file, or one without lines.
    """
    if not file.lower().endswith((".yaml", ".yml")):
        return None
    try:
        found = os.stat(file)
        root = _tree(file, found.st_mtime_ns, found.st_size)
    except (OSError, ValueError, errors.JounceError, yaml.YAMLError, RecursionError):
        return None
    line, rest = _followed(root, key)
    if rest and isinstance(root, yaml.MappingNode) and any(name.value == OTHERS for name, _ in root.value):
        return None
    return line


@lru_cache(maxsize=4)
def _tree(file: str, changed: int, size: int) -> Any:
    """Nodes of a file, kept as long as it has not changed."""
    loader = StrictLoader(read_utf8(file, "a YAML text file", MOST_BYTES))
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


def _followed(node: Any, rest: str) -> tuple[int | None, str]:
    """Line of the innermost key of a path that is there, and what is left of the path."""
    line = None
    while rest:
        step = _step(node, rest)
        if step is None:
            break
        line, node, rest = step
    return line, rest


def _step(node: Any, rest: str) -> tuple[int, Any, str] | None:
    """One step along a path: (line, node, rest of the path)."""
    if isinstance(node, yaml.SequenceNode):
        index = re.match(r"\[(\d+)\]\.?", rest)
        if index is None or int(index[1]) >= len(node.value):
            return None
        inside = node.value[int(index[1])]
        return inside.start_mark.line + 1, inside, rest[index.end() :]
    if not isinstance(node, yaml.MappingNode):
        return None
    pairs = _pairs(node)
    for same in (_is_key, _is_key_with_unit):
        fits = [(name, inside) for name, inside in pairs if isinstance(name, yaml.ScalarNode) and same(name.value, rest)]
        if fits:
            name, inside = max(fits, key=lambda pair: len(pair[0].value))
            length = len(name.value) if same is _is_key else len(re.split(r"[.\[]", rest)[0])
            return name.start_mark.line + 1, inside, rest[length:].removeprefix(".")
    return None


def _is_key(name: str, rest: str) -> bool:
    """Names may hold dots, and letters that do not print."""
    return rest == name or rest.startswith((f"{name}.", f"{name}[")) or rest == repr(name)


def _is_key_with_unit(name: str, rest: str) -> bool:
    return name.rpartition("_")[0] == re.split(r"[.\[]", rest)[0]


def _pairs(node: yaml.MappingNode) -> list[tuple[Any, Any]]:
    """Keys and values of a mapping, those that it merges last."""
    own = [(name, inside) for name, inside in node.value if name.tag != "tag:yaml.org,2002:merge"]
    for name, inside in node.value:
        if name.tag == "tag:yaml.org,2002:merge":
            merged = inside.value if isinstance(inside, yaml.SequenceNode) else [inside]
            own += [pair for one in merged if isinstance(one, yaml.MappingNode) for pair in _pairs(one)]
    return own
