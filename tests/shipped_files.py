"""Contents of shipped files."""

from __future__ import annotations

from typing import Any

from simulator.builder.builder import find_config
from simulator.configuration.layers import read_layers


def shipped_content(kind: str, name: str) -> dict[str, Any]:
    """Return the content of a shipped file merged into its base; the caller may modify it."""
    content: dict[str, Any] = read_layers(kind, find_config(kind, name)).content
    return content
