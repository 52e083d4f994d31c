"""Strict reader of YAML files: each error is a one-line ConfigError, and reading time and memory are limited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from simulator.base import errors
from simulator.base.errors import UnreadableError
from simulator.base.inputfile import read_unicode
from simulator.base.yaml_loader import DEEPEST, MAX_BYTES, StrictLoader

MAX_EXPANDED = 1_000_000
"""Maximum number of values after the expansion of aliases: a few lines of nested aliases can expand to billions."""


def read_text(path: str | Path, expected: str) -> str:
    """Return the text of a file in UTF-8, or in the encoding of its byte order mark. Raises ConfigError if it is missing, too large or not a text."""
    return read_unicode(path, expected, MAX_BYTES)


def read_yaml(path: str | Path) -> Any:
    """Return the content of a YAML file. Raises ConfigError if it is missing, not a text, malformed, too large or too deep."""
    return parse_yaml(read_text(path, "a YAML text file"), path)


def parse_yaml(text: str, path: object) -> Any:
    """Return the value of a YAML text; `path` is the file, or the source, for messages. Raises ConfigError as `read_yaml`."""
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
        raise UnreadableError(path, line, error.problem or "malformed YAML", "well-formed YAML") from None
    except (yaml.YAMLError, ValueError, ArithmeticError, LookupError, AttributeError, TypeError, RecursionError) as error:
        # a value with a wrong tag, such as !!int "" or !!bool maybe, makes PyYAML raise various exceptions
        raise UnreadableError(path, "", next(iter(str(error).splitlines()), "malformed YAML"), "well-formed YAML") from None


def _check_expansion(root: Any) -> None:
    """Raise ComposerError for a node that is too large or too deep after the expansion of aliases, or that contains itself.

    Each node is visited once, regardless of the number of its aliases; a merged mapping (``<<``) counts with its content.
    """
    sizes: dict[int, tuple[int, int]] = {}
    above: set[int] = set()

    def measure(node: Any) -> tuple[int, int]:
        """Return the number of values of a node and its depth."""
        if id(node) in above:
            raise yaml.composer.ComposerError(None, None, "anchor contains itself", node.start_mark)
        if id(node) not in sizes:
            above.add(id(node))
            inside = node.value if isinstance(node, yaml.CollectionNode) else ()
            children = [child for pair in inside for child in pair] if isinstance(node, yaml.MappingNode) else inside
            size, depth = 1, 0
            for child in children:
                n, levels = measure(child)
                size, depth = size + n, max(depth, levels)
                if size > MAX_EXPANDED or depth >= DEEPEST:
                    excess = f"more than {MAX_EXPANDED} values" if size > MAX_EXPANDED else f"more than {DEEPEST} levels"
                    raise yaml.composer.ComposerError(None, None, f"{excess} after the expansion of aliases", node.start_mark)
            sizes[id(node)] = size, depth + 1
            above.remove(id(node))
        return sizes[id(node)]

    if root is not None:
        measure(root)


def _line_of(file: str, key: str) -> int | None:
    from simulator.base.yaml_lines import line_of  # imported on demand, for messages only

    return line_of(file, key)


errors.line_finder = _line_of
