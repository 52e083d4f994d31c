"""Contents of shipped files."""

from __future__ import annotations

from typing import Any

from simulator.builder.builder import data_folder, find_config
from simulator.configuration.layers import read_layers


def shipped_content(kind: str, name: str) -> dict[str, Any]:
    """Return the content of a shipped file merged into its base; the caller may modify it."""
    content: dict[str, Any] = read_layers(kind, find_config(kind, name)).content
    return content


def driven_vehicles() -> list[str]:
    """Return the names of the shipped vehicles that drive and stand alone: no trailers, and no vehicles with trailers."""
    names = sorted(path.stem for path in (data_folder("configs") / "vehicles").glob("*.yaml"))
    return [name for name in names if not {"coupling", "trailers"} & shipped_content("vehicles", name).keys()]
