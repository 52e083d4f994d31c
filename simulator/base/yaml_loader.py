"""Loader of YAML files that refuses repeated keys and values that are too large or too deep."""

from __future__ import annotations

from typing import Any

import yaml

MOST_BYTES = 4 << 20
"""Of a text file."""
MOST_VALUES = 100_000
"""Written in a YAML file; reading them takes some seconds."""
DEEPEST = 50
"""Levels of mappings and lists inside each other."""
LONGEST_SCALAR = 20_000
"""Letters of one value: a number in base 60 takes a time that grows with the square of its length."""


class StrictLoader(yaml.SafeLoader):
    """SafeLoader that refuses a key given twice, and what is too large or too deep."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = self.values = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.depth += 1
        self.values += 1
        event = self.peek_event()
        if self.depth > DEEPEST:
            raise yaml.composer.ComposerError(None, None, f"more than {DEEPEST} levels", event.start_mark)
        if self.values > MOST_VALUES:
            raise yaml.composer.ComposerError(None, None, f"more than {MOST_VALUES} values", event.start_mark)
        if len(getattr(event, "value", None) or "") > LONGEST_SCALAR:
            raise yaml.composer.ComposerError(None, None, f"a value of more than {LONGEST_SCALAR} letters", event.start_mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        if not isinstance(node, yaml.MappingNode):
            raise yaml.constructor.ConstructorError(None, None, f"{node.tag} on something else than a mapping", node.start_mark)
        seen = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            if key_node.tag == "tag:yaml.org,2002:bool" and key_node.style is None:
                key_node.tag = "tag:yaml.org,2002:str"  # a key called `on` is a name
            key = self.construct_object(key_node, deep=True)
            try:
                repeated = key in seen
            except TypeError:
                raise yaml.constructor.ConstructorError(None, None, "a key that is not a plain value", key_node.start_mark) from None
            if repeated:
                raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} is given twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)
