"""Shipped maneuver files as mappings, with the outline of their vehicle."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path(__file__).parents[2] / "configs" / "maneuvers"
BODY = {"width_m": 2.18, "length_m": 4.57, "front_m": 2.21}


def shipped(name: str) -> dict[str, Any]:
    """Content of configs/maneuvers/<name>.yaml and the body."""
    return {**yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8")), "body": dict(BODY)}


def changed(mapping: dict[str, Any], keys: list[Any], value: Any) -> dict[str, Any]:
    """A copy with another value at a path of keys; without what stands there for None."""
    out = copy.deepcopy(mapping)
    place: Any = out
    for key in keys[:-1]:
        place = place[key]
    if value is None:
        del place[keys[-1]]
    else:
        place[keys[-1]] = value
    return out
