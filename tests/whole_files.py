"""Shipped files as a whole."""

from __future__ import annotations

from typing import Any

from simulator.builder.builder import find_config
from simulator.configuration.layers import read_layers


def whole_file(kind: str, name: str) -> dict[str, Any]:
    """Content of a shipped file laid over that of its base, to be changed."""
    content: dict[str, Any] = read_layers(kind, find_config(kind, name)).content
    return content
