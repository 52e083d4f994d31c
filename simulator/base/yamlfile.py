"""Reading YAML files strictly: every fault is a ConfigError of one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from simulator.base.errors import ConfigError


def read_text(path: str | Path, expected: str) -> str:
    """A file of UTF-8 text. Raises ConfigError when it is missing or something else than `expected`."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        if isinstance(error, UnicodeDecodeError):
            raise ConfigError(path, "", "bytes that are not UTF-8", expected) from None
        raise ConfigError(path, "", getattr(error, "strerror", None) or str(error), "a file that can be read") from None


def read_yaml(path: str | Path) -> Any:
    """Content of a YAML file. Raises ConfigError when it is missing, not text, or malformed."""
    text = read_text(path, "a YAML text file")
    try:
        content = yaml.load(text, Loader=_StrictLoader)
    except yaml.MarkedYAMLError as error:
        line = f"line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ConfigError(path, line, error.problem or "malformed YAML", "well-formed YAML") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(path, "", str(error).splitlines()[0], "well-formed YAML") from None
    if _holds_itself(content, set(), set()):
        raise ConfigError(path, "", "an anchor inside itself", "well-formed YAML")
    return content


class _StrictLoader(yaml.SafeLoader):
    """SafeLoader that refuses a key given twice."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            try:
                repeated = key in seen
            except TypeError:
                raise yaml.constructor.ConstructorError(None, None, "a key that is not a plain value", key_node.start_mark) from None
            if repeated:
                raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} is given twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def _holds_itself(value: Any, above: set[int], done: set[int]) -> bool:
    """True when a list or mapping contains itself, which an alias inside its own anchor brings about."""
    if not isinstance(value, (dict, list)) or id(value) in done:
        return False
    if id(value) in above:
        return True
    above.add(id(value))
    found = any(_holds_itself(item, above, done) for item in (value.values() if isinstance(value, dict) else value))
    above.remove(id(value))
    done.add(id(value))
    return found
