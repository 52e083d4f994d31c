"""Key paths in nested mappings and lists, as a text and as a tuple of names and indices."""

from __future__ import annotations

import re

from simulator.base.fields import printed

KeyPath = tuple[str | int, ...]
"""Names of keys and indices of lists."""

_PART = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def parse(text: str) -> KeyPath:
    """Return the key path of a text: ("axles", "front", "com", 2) for `axles.front.com[2]`."""
    return tuple(int(index) if index else name for index, name in _PART.findall(text))


def written(path: KeyPath) -> str:
    """Return the text of a key path."""
    text = ""
    for part in path:
        name = printed(part)
        text += f"[{part}]" if isinstance(part, int) else f".{name}" if text else name
    return text
