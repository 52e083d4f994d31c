"""Line numbers of keys in YAML files, for messages. The file is parsed again when an error is printed."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from typing import Any

import yaml

from simulator.base import errors
from simulator.base.inputfile import read_unicode
from simulator.base.yaml_loader import MAX_BYTES, StrictLoader

BASE_KEY = "base"
"""Key that names another file, which may contain the missing keys."""


def line_of(file: str, key: str) -> int | None:
    """Return the line number, from 1, of a key path such as ``axles.front.spring.rate`` or ``roads[1].points``.

    If a part of the path is missing, return the line of the innermost existing section. Return None if no part exists, or if the file does
    not exist or has no lines.
    """
    if not file.lower().endswith((".yaml", ".yml")):
        return None
    try:
        status = os.stat(file)
        root = _tree(file, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError, errors.JounceError, yaml.YAMLError, RecursionError):
        return None
    line, rest = _follow(root, key)
    if rest and isinstance(root, yaml.MappingNode) and any(name.value == BASE_KEY for name, _ in root.value):
        return None
    return line


@lru_cache(maxsize=4)
def _tree(file: str, changed: int, size: int) -> Any:
    """Return the root node of a file; cached until the file changes."""
    loader = StrictLoader(read_unicode(file, "a YAML text file", MAX_BYTES))
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


def _follow(node: Any, rest: str) -> tuple[int | None, str]:
    """Return the line of the innermost existing key of a path, and the rest of the path."""
    line = None
    while rest:
        step = _step(node, rest)
        if step is None:
            break
        line, node, rest = step
    return line, rest


def _step(node: Any, rest: str) -> tuple[int, Any, str] | None:
    """Return (line, node, rest of the path) of the first key of a path; None if it is missing."""
    if isinstance(node, yaml.SequenceNode):
        index = re.match(r"\[(\d+)\]\.?", rest)
        if index is None or int(index[1]) >= len(node.value):
            return None
        inside = node.value[int(index[1])]
        return inside.start_mark.line + 1, inside, rest[index.end() :]
    if not isinstance(node, yaml.MappingNode):
        return None
    pairs = _pairs(node)
    for is_same in (_is_key, _is_key_with_unit):
        fits = [(name, inside) for name, inside in pairs if isinstance(name, yaml.ScalarNode) and is_same(name.value, rest)]
        if fits:
            name, inside = max(fits, key=lambda pair: len(pair[0].value))
            length = len(name.value) if is_same is _is_key else len(re.split(r"[.\[]", rest)[0])
            return name.start_mark.line + 1, inside, rest[length:].removeprefix(".")
    return None


def _is_key(name: str, rest: str) -> bool:
    """Return True if a path begins with a name, which may contain dots and characters that do not print."""
    return rest == name or rest.startswith((f"{name}.", f"{name}[")) or rest == repr(name)


def _is_key_with_unit(name: str, rest: str) -> bool:
    """Return True if a path begins with a name without its unit."""
    return name.rpartition("_")[0] == re.split(r"[.\[]", rest)[0]


def _pairs(node: yaml.MappingNode) -> list[tuple[Any, Any]]:
    """Return the keys and values of a mapping, merged ones last."""
    own = [(name, inside) for name, inside in node.value if name.tag != "tag:yaml.org,2002:merge"]
    for name, inside in node.value:
        if name.tag == "tag:yaml.org,2002:merge":
            merged = inside.value if isinstance(inside, yaml.SequenceNode) else [inside]
            own += [pair for one in merged if isinstance(one, yaml.MappingNode) for pair in _pairs(one)]
    return own
