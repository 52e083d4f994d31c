"""Loader of YAML files that refuses repeated keys and values that are too large or too deep."""

from __future__ import annotations

from typing import Any

import yaml

MAX_BYTES = 4 << 20
"""Maximum size of a text file [bytes]."""
MAX_VALUES = 100_000
"""Maximum number of values in a YAML file; reading them takes a few seconds."""
DEEPEST = 50
"""Maximum depth of nested mappings and lists."""
LONGEST_SCALAR = 20_000
"""Maximum length of a value in characters: parsing a number in base 60 takes a time quadratic in the length."""


class StrictLoader(yaml.SafeLoader):
    """SafeLoader that rejects duplicate keys and files that are too large or too deep. Dates are texts, which every output can write."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = self.values = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self.depth += 1
        self.values += 1
        event = self.peek_event()
        if self.depth > DEEPEST:
            raise yaml.composer.ComposerError(None, None, f"more than {DEEPEST} levels", event.start_mark)
        if self.values > MAX_VALUES:
            raise yaml.composer.ComposerError(None, None, f"more than {MAX_VALUES} values", event.start_mark)
        if len(getattr(event, "value", None) or "") > LONGEST_SCALAR:
            raise yaml.composer.ComposerError(None, None, f"a value of more than {LONGEST_SCALAR} characters", event.start_mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        if not isinstance(node, yaml.MappingNode):
            raise yaml.constructor.ConstructorError(None, None, f"{node.tag} on a node that is not a mapping", node.start_mark)
        seen = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            if key_node.tag == "tag:yaml.org,2002:bool" and key_node.style is None:
                key_node.tag = "tag:yaml.org,2002:str"  # the key `on` is a name, not a boolean
            key = self.construct_object(key_node, deep=True)
            try:
                repeated = key in seen
            except TypeError:
                raise yaml.constructor.ConstructorError(None, None, "a key that is not a plain value", key_node.start_mark) from None
            if repeated:
                raise yaml.constructor.ConstructorError(None, None, f"duplicate key {key!r}", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def _date_text(loader: StrictLoader, node: Any) -> str:
    """Return a date as its text. Raises ConstructorError: the tag of dates is on another value."""
    if not isinstance(node, yaml.ScalarNode) or not loader.timestamp_regexp.match(node.value):
        raise yaml.constructor.ConstructorError(None, None, f"{node.value!r} is no date", node.start_mark)
    return str(node.value)


StrictLoader.add_constructor("tag:yaml.org,2002:timestamp", _date_text)
