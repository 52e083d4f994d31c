"""Key paths: places in nested mappings and lists, as text and as a tuple of names and numbers."""

from __future__ import annotations

import re

KeyPath = tuple[str | int, ...]
"""Names of keys, and places in lists."""

_PART = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


def parse(text: str) -> KeyPath:
    """`axles.front.com[2]` as ("axles", "front", "com", 2)."""
    return tuple(int(index) if index else name for index, name in _PART.findall(text))


def written(path: KeyPath) -> str:
    """The other way round."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
