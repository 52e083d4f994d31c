"""Configuration in an FMU: the complete mapping, with the contents of all files that are not part of Jounce."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from simulator.base.machine import version
from simulator.configuration.configuration import Configuration
from simulator.configuration.key_path import parse
from simulator.configuration.layers import Layer, Origin

CONTENT = "unit.json"
"""File in the resources of an FMU: version of Jounce, kind, configuration."""
FILES = "files"
"""Folder in the resources with the binary files of the configuration."""


def configuration_of(content: dict[str, Any], folder: Path) -> Configuration:
    """Return the configuration of a unit whose resources are in a folder."""
    return Configuration(Layer(content["configuration"], {(): Origin(str(folder / CONTENT))}))


def portable(configuration: Configuration) -> tuple[dict[str, Any], dict[str, Path]]:
    """Return the mapping of a configuration that has been read, and its files by their names in FILES."""
    content = configuration.complete()
    files: dict[str, Path] = {}
    for place in configuration.binary.digests:
        *above, last = parse(place)
        node: Any = content
        for part in above:
            node = node[part]
        file = Path(node[last])
        if file.is_absolute():  # others are assets of Jounce
            name = f"{len(files)}_{file.name}"
            files[name], node[last] = file, f"{FILES}/{name}"
    about = {"version": version(), "names": configuration.named.names, "files": configuration.binary.digests}
    return {"recorded": about, **content}, files
