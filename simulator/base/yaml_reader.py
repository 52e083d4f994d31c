"""Reading YAML files strictly: every fault is a ConfigError of one line, and no file takes long or much room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from simulator.base import errors
from simulator.base.errors import ConfigError
from simulator.base.inputfile import read_utf8
from simulator.base.yaml_loader import DEEPEST, MOST_BYTES, StrictLoader

MOST_EXPANDED = 1_000_000
"""Values of a YAML file once every alias stands for what it names: a few lines of aliases to aliases can stand for billions."""


def read_text(path: str | Path, expected: str) -> str:
    """A file of UTF-8 text. Raises ConfigError when it is missing, too large, or something else than `expected`."""
    return read_utf8(path, expected, MOST_BYTES)


def read_yaml(path: str | Path) -> Any:
    """Content of a YAML file. Raises ConfigError when it is missing, not text, malformed, or larger or deeper than anyone writes."""
    return parse_yaml(read_text(path, "a YAML text file"), path)


def parse_yaml(text: str, path: object) -> Any:
    """Value of a YAML text; `path` is its file, or what it is, for messages. Raises ConfigError as `read_yaml`."""
    try:
        loader = StrictLoader(text)
        try:
            node = loader.get_single_node()
            _check_expansion(node)
            return None if node is None else loader.construct_document(node)
        finally:
            loader.dispose()
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConfigError(path, line, error.problem or "malformed YAML", "well-formed YAML") from None
    except (yaml.YAMLError, ValueError, ArithmeticError, LookupError, AttributeError, TypeError, RecursionError) as error:
        # besides its own errors, PyYAML lets through whatever a value with a wrong tag leads to, such as !!int "" or !!bool maybe
        raise ConfigError(path, "", next(iter(str(error).splitlines()), "malformed YAML"), "well-formed YAML") from None


def _check_expansion(root: Any) -> None:
    """Refuse a node that stands for too much or too deep a thing, or that contains itself, which an alias inside its own anchor brings about.

    Every node is looked at once, however often aliases name it; merged mappings (``<<``) count as what they bring.
    """
    known: dict[int, tuple[int, int]] = {}
    above: set[int] = set()

    def measured(node: Any) -> tuple[int, int]:
        """How many values a node stands for, and how many levels deep it is."""
        if id(node) in above:
            raise yaml.composer.ComposerError(None, None, "an anchor inside itself", node.start_mark)
        if id(node) not in known:
            above.add(id(node))
            inside = node.value if isinstance(node, yaml.CollectionNode) else ()
            children = [child for pair in inside for child in pair] if isinstance(node, yaml.MappingNode) else inside
            size, depth = 1, 0
            for child in children:
                n, levels = measured(child)
                size, depth = size + n, max(depth, levels)
                if size > MOST_EXPANDED or depth >= DEEPEST:
                    what = f"more than {MOST_EXPANDED} values" if size > MOST_EXPANDED else f"more than {DEEPEST} levels"
                    raise yaml.composer.ComposerError(None, None, f"{what} once aliases are filled in", node.start_mark)
            known[id(node)] = size, depth + 1
            above.remove(id(node))
        return known[id(node)]

    if root is not None:
        measured(root)


def _line_of(file: str, key: str) -> int | None:
    from simulator.base.yaml_lines import line_of  # not loaded by a program that meets no mistake

    return line_of(file, key)


errors.line_finder = _line_of
